package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.SimulatedNode;
import dev.plinth.simulation.cluster.Takeovers;
import dev.plinth.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/** Faults of one node: its process, its threads, its clocks, and what it has under way. */
final class NodeFaults {
  private static final long SLOW = 100;
  private static final long LEAVE_MILLIS = 30_000;
  private static final long LOADS_MILLIS = 10_000;

  /** Threads that keep a node's session alive. */
  private static final Set<String> KEEPERS = Set.of("plinth-etcd", "heartbeats");

  /** Threads that notice what a node has lost, or is to take. */
  private static final Set<String> MOVERS = Set.of("plinth-placement");

  private final Fault fault;
  private final SplittableRandom random;
  private final long driftPpm;
  private final Optional<Takeovers> takeovers;

  NodeFaults(Fault fault, long driftPpm, Optional<Takeovers> takeovers) {
    this.fault = fault;
    this.random = fault.random();
    this.driftPpm = driftPpm;
    this.takeovers = takeovers;
  }

  void strike(FaultKind kind, SimulatedNode node) {
    SimulatedProcess process = node.process();
    switch (kind) {
      case KILL -> {
        node.kill();
        fault.later(fault.millis(), () -> startIfDown(node));
      }
      case RESTART -> {
        node.leave();
        fault.later(fault.millis() + LEAVE_MILLIS, () -> startIfDown(node));
        awaitDown(node);
      }
      case PAUSE -> {
        process.pause();
        fault.atEnd(process::resume);
      }
      case STALL -> {
        process.pause();
        fault.after(random.nextLong(50, 2000), process::resume);
      }
      case SUSPEND -> suspend(node);
      case THREAD_STALL -> stallThreads(node);
      case SLOW -> {
        process.slowDown(random.nextLong(2, SLOW));
        fault.atEnd(() -> process.slowDown(1));
      }
      case WALL_STEP ->
          node.clock().step(Duration.ofMillis(random.nextLong(-3_600_000, 3_600_000)));
      case DRIFT -> node.clock().drift(random.nextLong(-driftPpm, driftPpm + 1));
      case SLOW_LOAD -> takeovers.ifPresent(this::slowLoads);
      case STRAY_COMMIT -> strayCommit(node);
      default -> throw new AssertionError(kind);
    }
  }

  /** The clock of a machine that wakes up is often set, and not always forward. */
  private void suspend(SimulatedNode node) {
    SimulatedProcess process = node.process();
    boolean setBack = random.nextInt(3) == 0;
    // By more than it slept: what hides a sleep exactly is beyond what a node can notice.
    Duration by = Duration.ofMillis(2 * fault.millis() + random.nextLong(1000, 60_000));
    process.suspend();
    fault.atEnd(
        () -> {
          if (setBack) {
            node.clock().step(by.negated());
          }
          process.wakeUp();
        });
  }

  /**
   * Some that keep the session, and those that look after shards even longer; or any. Now and then
   * with the way to the store cut, too.
   */
  private void stallThreads(SimulatedNode node) {
    boolean cut = random.nextInt(3) == 0;
    if (random.nextBoolean()) {
      node.process().stallThreads(KEEPERS::contains, fault.nanos(fault.millis()));
      long longer = fault.millis() + random.nextLong(2000);
      if (random.nextInt(4) > 0) {
        node.process().stallThreads(MOVERS::contains, fault.nanos(longer));
      }
    } else {
      node.process().stallThreads(name -> random.nextInt(5) == 0, fault.nanos(fault.millis()));
    }
    if (cut) {
      fault.store().cut(node.name(), true, true);
      fault.after(fault.millis() + random.nextLong(3000), () -> fault.store().heal(node.name()));
    }
  }

  /** Whichever node takes a shard over within a while, its rows come late. */
  private void slowLoads(Takeovers seen) {
    long end = fault.simulation().now() + fault.nanos(fault.millis() + LOADS_MILLIS);
    seen.listen(
        takeover -> {
          if (fault.simulation().now() < end) {
            fault
                .store()
                .holdLoad(
                    takeover.node(), arrive -> fault.after(random.nextLong(100, 900), arrive));
          }
        });
  }

  /**
   * Something happens while a commit is on the network. The node sends it again, and dies soon
   * after the first one has arrived; or the commit arrives, but not its answer; or the node is cut
   * off at once, and the commit arrives when a shard has been claimed anew.
   */
  private void strayCommit(SimulatedNode node) {
    int what = random.nextInt(3);
    fault
        .store()
        .holdCommit(
            node.name(),
            arrive -> {
              fault.simulation().trace("world", "a commit of " + node.name() + " is held");
              switch (what) {
                case 0 -> sentTwice(node, arrive);
                case 1 -> neverAnswered(node, arrive);
                default -> late(node, arrive);
              }
            });
  }

  private void sentTwice(SimulatedNode node, Runnable arrive) {
    SimulatedProcess process = node.process();
    fault.after(
        random.nextLong(1000, 4000),
        () -> {
          arrive.run();
          fault.later(random.nextLong(300), () -> killIfSame(node, process));
        });
  }

  private void neverAnswered(SimulatedNode node, Runnable arrive) {
    fault.store().cut(node.name(), false, true);
    fault.atEnd(() -> fault.store().heal(node.name()));
    arrive.run();
    if (random.nextBoolean()) {
      killIfSame(node, node.process());
    }
  }

  private void late(SimulatedNode node, Runnable arrive) {
    AtomicBoolean arrived = new AtomicBoolean();
    Runnable once =
        () -> {
          if (arrived.compareAndSet(false, true)) {
            fault.simulation().trace("world", "the commit of " + node.name() + " arrives");
            arrive.run();
          }
        };
    int most = random.nextInt(3) == 0 ? 20 : 4;
    takeovers.ifPresent(seen -> seen.listen(takeover -> fault.after(random.nextLong(most), once)));
    fault.after(LEAVE_MILLIS, once);
    if (random.nextBoolean()) {
      killIfSame(node, node.process());
    } else {
      fault.store().cut(node.name(), true, true);
      fault.atEnd(() -> fault.store().heal(node.name()));
    }
  }

  private void killIfSame(SimulatedNode node, SimulatedProcess process) {
    if (node.process() == process && !node.isDown()) {
      node.kill();
      fault.later(fault.millis(), () -> startIfDown(node));
    }
  }

  /** One that left is started again soon. */
  private void awaitDown(SimulatedNode node) {
    fault.later(
        500,
        () -> {
          if (node.isDown()) {
            node.start();
          } else {
            awaitDown(node);
          }
        });
  }

  private static void startIfDown(SimulatedNode node) {
    if (node.isDown()) {
      node.start();
    }
  }
}
