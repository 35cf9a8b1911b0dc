package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.NodeOptions;
import dev.plinth.simulation.cluster.SimulatedCluster;
import dev.plinth.simulation.cluster.Takeovers;
import dev.plinth.simulation.kernel.RunParts;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** One run of a seed: a cluster, clients of leases, faults, healing, and the checks. */
public final class LeaseRun {
  private static final long SECOND = 1_000_000_000L;
  private static final long ANSWERED_WITHIN = 120;
  // Requests that are refused since the memory for them is full wait until others are forgotten.
  private static final long FORGOTTEN_WITHIN = 15 * 60;

  private final Simulation simulation;
  private final SwarmOptions options;
  private final WorkloadLog log = new WorkloadLog();
  private final SimulatedNetwork network;
  private final SimulatedCluster cluster;
  private final FaultInjector faults;
  private final KeyedHistory keyed;
  private final KeyedWire keyedWire;
  private final History<LogCall, LogAnswer> mixed;
  private final List<WatchClient> watches = new ArrayList<>();
  private final List<SnapshotClient> snapshots = new ArrayList<>();

  private final List<QueueClient> queues = new ArrayList<>();
  private final Set<String> sentOnce = new TreeSet<>();
  private final Takeovers takeovers;

  private LeaseRun(Simulation simulation) {
    this.simulation = simulation;
    options = SwarmOptions.draw(simulation.seeds());
    network = new SimulatedNetwork(simulation);
    SwarmOptions.ServerOptions servers = options.settings();
    StoreSetup store = StoreSetup.of(simulation, network, servers);
    cluster =
        new SimulatedCluster(
            simulation,
            network,
            store.factory(),
            new NodeOptions(
                servers.nodes(),
                servers.shards(),
                servers.queue(),
                servers.requestMemoryMiB(),
                servers.callsPerConnection()));
    takeovers = store.takeovers();
    faults =
        new FaultInjector(simulation, network, cluster, store.control(), options, log)
            .aimingBy(takeovers);
    keyed = new KeyedHistory(simulation, options.driftPpm());
    keyedWire = new KeyedWire(options.has("spread"));
    mixed = new History<>(simulation::now);
  }

  /** Runs a seed to its end; what it did and what was wrong is in the report. */
  public static RunReport of(long seed) {
    return of(seed, RunParts.all());
  }

  /** Runs some parts of a seed. */
  public static RunReport of(long seed, RunParts parts) {
    try (Simulation simulation = new Simulation(seed, parts)) {
      LeaseRun run = new LeaseRun(simulation);
      try {
        run.run();
      } catch (RuntimeException | AssertionError e) {
        run.log.violation(RunReport.stack(e));
      } finally {
        run.cluster.close();
      }
      simulation.uncaught().forEach(run.log::violation);
      return RunReport.of(WorkloadKind.LEASES, seed, run.options.toString(), simulation, run.log);
    }
  }

  private void run() {
    simulation.trace("world", options.toString());
    cluster.start();
    startClients();
    faults.start();
    simulation.runUntil(Math.min(options.seconds() * SECOND, simulation.parts().horizonNanos()));
    log.end();
    faults.heal();
    long patience = options.settings().requestMemoryMiB() == 1 ? FORGOTTEN_WITHIN : ANSWERED_WITHIN;
    long end = simulation.now() + patience * SECOND;
    if (!simulation.runUntil(end, () -> log.open() == 0)) {
      log.violation(log.open() + " calls have no answer long after all is healed");
      return;
    }
    FinalChecks checks = new FinalChecks(client("checker"), simulation, options, keyedWire);
    checks.awaitNothingHeld(log);
    LeaseChecks.keyed(keyed.history().operations(), keyedWire);
    if (options.has("mixed")) {
      List<LogEvent> events = checks.history();
      LeaseChecks.mixed(mixed.operations(), events, watches, simulation);
      snapshots.forEach(snapshot -> snapshot.check(mixed.operations(), events));
      queues.forEach(queue -> queue.check(mixed.operations(), events, sentOnce));
    }
    if (options.has("late-retries")) {
      simulation.runUntil(simulation.now() + options.longestRetryMillis() * SECOND / 1000);
    }
  }

  /** Whether the run has a client. */
  private boolean has(WireClient client) {
    return client.has("exists");
  }

  private WireClient client(String name) {
    return new WireClient(
        network, simulation, name, new WireClient.Setting(cluster.addresses(), log));
  }

  private void startClients() {
    for (int i = 0; i < options.clients(); i++) {
      WireClient client = client("client" + i);
      if (!has(client)) {
        continue;
      }
      if (i % 2 == 1 && options.has("mixed")) {
        startMixed(client, i);
      } else {
        new KeyedClient(client, i, new KeyedSender(client, i, keyedWire, keyed), options).start();
      }
    }
    if (options.has("mixed")) {
      WireClient operator = client("operator");
      MixedSender sender = new MixedSender(operator, 100, mixed, sentOnce);
      new MixedClient(operator, sender, options, Optional.empty()).changePolicies(() -> {});
    }
    for (int i = 0; i < 2 && options.has("mixed") && options.has("watches"); i++) {
      WireClient client = client("watcher" + i);
      if (has(client)) {
        WatchClient watch = new WatchClient(client);
        watches.add(watch);
        watch.start();
      }
    }
    int nodes = options.settings().nodes();
    for (int i = 0; i < nodes && options.has("mixed") && options.has("watches"); i++) {
      SnapshotClient snapshot = new SnapshotClient(client("snapshots" + i), i, takeovers);
      snapshots.add(snapshot);
      snapshot.start();
    }
    startProbes(nodes);
  }

  private void startProbes(int nodes) {
    for (int i = 0; i < nodes && options.has("probes"); i++) {
      WireClient client = client("probe" + i);
      KeyedSender sender = new KeyedSender(client, 200 + i, keyedWire, keyed);
      new ProbeClient(client, i, sender, options, takeovers).start();
    }
    if (options.has("mixed") && options.has("queues") && options.has("waits")) {
      QueueClient queue = new QueueClient(client("queue"), takeovers);
      queues.add(queue);
      queue.start();
    }
    for (int i = 0; i < 2 && options.has("graces"); i++) {
      WireClient client = client("grace" + i);
      new GraceClient(client, cluster, takeovers, options).start();
    }
    if (options.has("reused-ids")) {
      new ReusedIdClient(client("reuser")).start();
    }
  }

  private void startMixed(WireClient client, int number) {
    Optional<ClientSession> session =
        options.has("sessions")
            ? Optional.of(new ClientSession(client, options))
            : Optional.empty();
    new MixedClient(client, new MixedSender(client, number, mixed, sentOnce), options, session)
        .start();
  }
}
