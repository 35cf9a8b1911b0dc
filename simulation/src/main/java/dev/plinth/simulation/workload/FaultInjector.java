package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.SimulatedCluster;
import dev.plinth.simulation.cluster.SimulatedNode;
import dev.plinth.simulation.cluster.StoreControl;
import dev.plinth.simulation.cluster.Takeovers;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Lets things go wrong now and then, of the kinds that the seed drew, until all is healed. Half of
 * the faults strike a node that owns a shard.
 */
final class FaultInjector {
  private static final long MILLI = 1_000_000;
  private static final int MOST_FAULTS_AT_ONCE = 3;

  private final Simulation simulation;
  private final SimulatedNetwork network;
  private final SimulatedCluster cluster;
  private final StoreControl store;
  private final List<FaultKind> kinds;
  private final WorkloadLog log;
  private final SplittableRandom pace;
  private final SwarmOptions options;
  private final int rateMillis;
  private Optional<Takeovers> takeovers = Optional.empty();
  private int strikes;
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
    this.options = options;
    this.pace = simulation.random("faults");
    this.rateMillis = pace.nextInt(1000, 8000);
  }

  /** So that it knows which nodes own shards. */
  FaultInjector aimingBy(Takeovers seen) {
    takeovers = Optional.of(seen);
    return this;
  }

  void start() {
    if (!kinds.isEmpty()) {
      later(pace.nextLong(2000), this::next);
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

  /** Mostly one, sometimes several at once: what opens a window is often a coincidence. */
  private void next() {
    int together = pace.nextInt(4) == 0 ? pace.nextInt(2, MOST_FAULTS_AT_ONCE + 1) : 1;
    for (int i = 0; i < together; i++) {
      strikes++;
      if (simulation.parts().has("fault " + strikes)) {
        strike(simulation.random("fault " + strikes));
      }
    }
    later(pace.nextLong(rateMillis), this::next);
  }

  private void strike(SplittableRandom random) {
    FaultKind kind = kinds.get(random.nextInt(kinds.size()));
    SimulatedNode node = node(random);
    SimulatedNode peer = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    if (node.isDown() || peer == node && kind.needsPeers()) {
      return;
    }
    Fault fault = new Fault(simulation, network, store, random, time(kind, random), this::later);
    log.count("faults");
    log.count("fault " + kind);
    simulation.trace("world", kind + " at " + node.name() + " for " + fault.millis() + " ms");
    if (kind.isOfNode()) {
      new NodeFaults(fault, options.driftPpm(), takeovers).strike(kind, node);
    } else {
      String client = "client" + random.nextInt(options.clients());
      new LinkFaults(fault).strike(kind, node, peer, client);
    }
  }

  private SimulatedNode node(SplittableRandom random) {
    SimulatedNode any = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    int shard = random.nextInt(options.settings().shards());
    return random.nextBoolean()
        ? any
        : takeovers.flatMap(seen -> seen.last(shard)).flatMap(this::ownerOf).orElse(any);
  }

  private Optional<SimulatedNode> ownerOf(Takeovers.Takeover takeover) {
    return cluster.nodes().stream()
        .filter(node -> node.name().equals(takeover.node()) && !node.isDown())
        .findFirst();
  }

  /**
   * Anything, or just longer or shorter than a node's session lasts; half of them short. What keeps
   * a node from knowing that its session is over lasts longer than that more often.
   */
  private long time(FaultKind kind, SplittableRandom random) {
    long session = options.settings().sessionSeconds() * 1000L;
    if (kind.hidesLoss() && random.nextBoolean()) {
      return session + random.nextLong(500, 5000);
    }
    return switch (random.nextInt(8)) {
      case 0 -> random.nextLong(15_000);
      case 1, 2 -> session + random.nextLong(200, 4000);
      case 3 -> random.nextLong(session / 2, session);
      default -> random.nextLong(50, 3000);
    };
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
      node.process().stallThreads(name -> true, 0);
      node.clock().drift(0);
      store.heal(node.name());
      startAfterLeaving(node);
    }
    network.heal();
  }

  private void startAfterLeaving(SimulatedNode node) {
    if (node.isDown()) {
      node.start();
    }
    simulation.world().after(500 * MILLI, () -> startAfterLeaving(node));
  }
}
