package dev.plinth.standalone.history;

import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LeaseLogChecker;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogEvent;
import dev.plinth.testkit.lease.WatchChecker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;

/**
 * Sets, semaphores, lock-delays, transfers, policies, waits and watches, in a namespace of their
 * own beside the work that {@link HistoryRun} searches for an order of. These are checked against
 * the server's own log of the namespace, which is an order.
 */
final class MixedWork {
  private static final int CALLERS = 5;
  private static final int WATCHERS = 2;
  private static final int MAX_TURNS = 20;

  private final Cluster cluster;
  private final MixedWire wire;
  private final History<LogCall, LogAnswer> history;
  private final MixedSender sender;
  private final List<WatchRecorder> watches = new ArrayList<>();
  private final LongFunction<RandomGenerator> randoms;

  /**
   * @param randoms a generator for each number
   */
  MixedWork(String run, Cluster cluster, long start, LongFunction<RandomGenerator> randoms) {
    this.cluster = cluster;
    this.wire = new MixedWire(run + "-mixed");
    this.history = new History<>(() -> System.nanoTime() - start);
    this.sender = new MixedSender(cluster, wire, history);
    this.randoms = randoms;
    for (int i = 0; i < WATCHERS; i++) {
      watches.add(new WatchRecorder(cluster, wire.namespace(), i));
    }
  }

  /** What is to be done again and again, each on a thread of its own. */
  List<Runnable> turns() {
    List<Runnable> turns = new ArrayList<>();
    MixedCaller operator = new MixedCaller(CALLERS, sender, randoms.apply(CALLERS));
    operator.changePolicy(); // before anybody asks for permits
    turns.add(operator::changePolicy);
    for (int i = 0; i < CALLERS; i++) {
      turns.add(new MixedCaller(i, sender, randoms.apply(i))::turn);
    }
    watches.forEach(watch -> turns.add(watch::turn));
    return turns;
  }

  int answered() {
    return sender.answered();
  }

  /** Once all turns are over. */
  void check() {
    Await.until("all holds have ended", () -> wire.held(stub()).isEmpty());
    List<LogEvent> log = new ArrayList<>();
    Await.until("the log", () -> log.addAll(wire.log(stub())));
    LeaseLogChecker.check(history.operations(), log);
    for (WatchRecorder watch : watches) {
      for (int i = 0; i < MAX_TURNS && !watch.hasTold(log.get(log.size() - 1)); i++) {
        watch.turn();
      }
      WatchChecker.check(log, watch.told());
    }
  }

  private LeaseServiceBlockingStub stub() {
    return LeaseServiceGrpc.newBlockingStub(cluster.node(0).channel())
        .withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  /** For a look after a failed check: the calls, the log, and what the watches told. */
  void write(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    history.operations().forEach(call -> lines.add(call.toString()));
    try {
      wire.log(stub()).forEach(event -> lines.add(event.toString()));
    } catch (RuntimeException e) {
      lines.add("no log: " + e);
    }
    watches.forEach(watch -> lines.add(watch.told().toString()));
    Files.write(file, lines);
  }
}
