package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.SimulatedCluster;
import dev.plinth.simulation.cluster.SimulatedNode;
import dev.plinth.simulation.cluster.StoreControl;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Lets things go wrong now and then, of the kinds that the seed drew, until all is healed. */
final class FaultInjector {
  private static final long MILLI = 1_000_000;
  private static final long SLOW = 100;

  private final Simulation simulation;
  private final SimulatedNetwork network;
  private final SimulatedCluster cluster;
  private final StoreControl store;
  private final List<FaultKind> kinds;
  private final WorkloadLog log;
  private final SplittableRandom random;
  private final int clients;
  private final long driftPpm;
  private final int rateMillis;
  private boolean over;

  FaultInjector(
      Simulation simulation,
      SimulatedNetwork network,
      SimulatedCluster cluster,
      StoreControl store,
      SwarmOptions options,
      WorkloadLog log) {
    this.simulation = simulation;
    this.network = network;
    this.cluster = cluster;
    this.store = store;
    this.kinds = List.copyOf(options.faults());
    this.log = log;
    this.random = simulation.random("faults");
    this.clients = options.clients();
    this.driftPpm = options.driftPpm();
    this.rateMillis = random.nextInt(1000, 8000);
  }

  void start() {
    if (!kinds.isEmpty()) {
      later(random.nextLong(2000), this::next);
    }
  }

  private void later(long millis, Runnable step) {
    simulation
        .world()
        .after(
            millis * MILLI,
            () -> {
              if (!over) {
                step.run();
              }
            });
  }

  private void next() {
    strike(kinds.get(random.nextInt(kinds.size())));
    later(random.nextLong(rateMillis), this::next);
  }

  private void strike(FaultKind kind) {
    SimulatedNode node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    SimulatedNode peer = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    String client = "client" + random.nextInt(clients);
    long time = random.nextInt(3) == 0 ? random.nextLong(15_000) : random.nextLong(50, 3000);
    if (node.isDown() || peer == node && kind.needsPeers()) {
      return;
    }
    log.count("faults");
    log.count("fault " + kind);
    simulation.trace("world", kind + " at " + node.name() + " for " + time + " ms");
    SimulatedProcess process = node.process();
    switch (kind) {
      case KILL -> {
        node.kill();
        later(time, () -> startIfDown(node));
      }
      case RESTART -> {
        node.leave();
        later(time + 30_000, () -> startIfDown(node));
        awaitDown(node);
      }
      case PAUSE -> {
        process.pause();
        simulation.world().after(time * MILLI, process::resume);
      }
      case STALL -> {
        process.pause();
        simulation.world().after(random.nextLong(50, 2000) * MILLI, process::resume);
      }
      case SUSPEND -> {
        process.suspend();
        simulation.world().after(time * MILLI, process::wakeUp);
      }
      case SLOW -> {
        process.slowDown(random.nextLong(2, SLOW));
        simulation.world().after(time * MILLI, () -> process.slowDown(1));
      }
      case WALL_STEP ->
          node.clock().step(Duration.ofMillis(random.nextLong(-3_600_000, 3_600_000)));
      case DRIFT -> node.clock().drift(random.nextLong(-driftPpm, driftPpm + 1));
      default -> disturb(kind, node, peer, client, time);
    }
  }

  private void disturb(
      FaultKind kind, SimulatedNode node, SimulatedNode peer, String client, long time) {
    switch (kind) {
      case CLIENT_CUT -> cut(client, node.name(), true, true, time);
      case CLIENT_HALF_CUT -> {
        boolean there = random.nextBoolean();
        cut(client, node.name(), there, !there, time);
      }
      case CLIENT_RESET -> network.reset(client, node.name());
      case CLIENT_DELAY -> delay(client, node.name(), time);
      case PEER_CUT -> cut(peer.name(), node.name(), true, true, time);
      case PEER_HALF_CUT -> cut(peer.name(), node.name(), true, false, time);
      case PEER_DELAY -> delay(peer.name(), node.name(), time);
      case STORE_CUT -> {
        boolean all = random.nextBoolean();
        boolean requests = random.nextBoolean();
        store.cut(node.name(), all || requests, all || !requests);
        simulation.world().after(time * MILLI, () -> store.heal(node.name()));
      }
      case STORE_SLOW -> {
        store.slowDown(random.nextLong(5, 1500) * MILLI);
        simulation.world().after(time * MILLI, store::heal);
      }
      case STORE_FAULTS -> {
        store.lose(random.nextDouble() * 0.5);
        simulation.world().after(time * MILLI, store::heal);
      }
      case ETCD_LEADER -> store.changeLeader(Duration.ofMillis(Math.min(time, 5000)));
      case ETCD_STALL -> store.stall(Duration.ofMillis(Math.min(time, 5000)));
      case ETCD_RESTART -> store.restart();
      default -> throw new AssertionError(kind);
    }
  }

  private void cut(String one, String other, boolean there, boolean back, long time) {
    if (there) {
      network.cut(one, other);
      simulation.world().after(time * MILLI, () -> network.heal(one, other));
    }
    if (back) {
      network.cut(other, one);
      simulation.world().after(time * MILLI, () -> network.heal(other, one));
    }
  }

  private void delay(String one, String other, long time) {
    long most = random.nextLong(10, 1000) * MILLI;
    network.delay(one, other, most);
    network.delay(other, one, most);
    simulation
        .world()
        .after(
            time * MILLI,
            () -> {
              network.delay(one, other, MILLI / 2);
              network.delay(other, one, MILLI / 2);
            });
  }

  /** One that left is started again soon. */
  private void awaitDown(SimulatedNode node) {
    later(
        500,
        () -> {
          if (node.isDown()) {
            node.start();
          } else {
            awaitDown(node);
          }
        });
  }

  private void startIfDown(SimulatedNode node) {
    if (node.isDown()) {
      node.start();
    }
  }

  /** No more faults, and the end of all that last. */
  void heal() {
    over = true;
    simulation.trace("world", "healed");
    simulation.chances().enable(false);
    store.heal();
    for (SimulatedNode node : cluster.nodes()) {
      node.process().resume();
      node.process().wakeUp();
      node.process().slowDown(1);
      node.clock().drift(0);
      store.heal(node.name());
      startAfterLeaving(node);
    }
    network.heal();
  }

  private void startAfterLeaving(SimulatedNode node) {
    startIfDown(node);
    simulation.world().after(500 * MILLI, () -> startAfterLeaving(node));
  }
}
