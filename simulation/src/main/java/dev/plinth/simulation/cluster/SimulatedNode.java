package dev.plinth.simulation.cluster;

import dev.plinth.id.IdService;
import dev.plinth.id.core.IdApp;
import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.registry.RegistryService;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.HostSettings;
import dev.plinth.server.Metrics;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.shards.grpc.ShardList;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.simulation.kernel.NodeClock;
import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import dev.plinth.testkit.TestSettings;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** One server: killed and started again it is the same node, in another life. */
public final class SimulatedNode {
  private static final long AGAIN_NANOS = 1_000_000_000L;

  private final Simulation simulation;
  private final SimulatedNetwork network;
  private final StoreFactory stores;
  private final NodeOptions options;
  private final String name;
  private final NodeClock clock;
  private SimulatedProcess process;
  private Deque<AutoCloseable> parts = new ArrayDeque<>();
  private Optional<Metrics> metrics = Optional.empty();
  private Optional<Shards> served = Optional.empty();
  private int lives;
  private boolean down = true;
  private boolean ready;

  SimulatedNode(
      Simulation simulation,
      SimulatedNetwork network,
      StoreFactory stores,
      NodeOptions options,
      String name) {
    this.simulation = simulation;
    this.network = network;
    this.stores = stores;
    this.options = options;
    this.name = name;
    this.clock = simulation.clock(name);
    this.process = simulation.process(name, clock);
  }

  public String name() {
    return name;
  }

  public String address() {
    return name + ":1";
  }

  public NodeClock clock() {
    return clock;
  }

  public SimulatedProcess process() {
    return process;
  }

  public boolean isDown() {
    return down;
  }

  /** The shard of a key; none before the node was first up. */
  OptionalInt shardOf(String key) {
    return served.stream().mapToInt(shards -> shards.shardOf(key)).findFirst();
  }

  /** How often it was started. */
  public int lives() {
    return lives;
  }

  public void start() {
    simulation.trace(name, "start");
    down = false;
    ready = false;
    parts = new ArrayDeque<>();
    process = simulation.process(name, clock);
    SimulatedProcess started = process;
    SimulatedMachine machine = new SimulatedMachine(process, name + " life " + ++lives);
    simulation
        .thread(process, "main", () -> open(machine))
        .whenComplete(
            (done, refused) -> {
              if (refused != null && started.isAlive()) {
                simulation.note(name, "start refused: " + refused);
                simulation.trace(name, "start refused");
                simulation.world().after(0, () -> startAgain(started));
              }
            });
  }

  private void startAgain(SimulatedProcess refused) {
    if (process == refused) {
      kill();
      simulation
          .world()
          .after(
              AGAIN_NANOS,
              () -> {
                if (down && process == refused) {
                  start();
                }
              });
    }
  }

  private void open(SimulatedMachine machine) {
    Metrics meters = opened(new Metrics());
    metrics = Optional.of(meters);
    ShardStore store = opened(stores.open(machine, meters.registry()));
    LeaseApp leases = LeaseService.app(machine, meters.registry());
    IdApp ids = IdService.app(machine.time(), meters.registry());
    RegistryApp members = RegistryService.app(machine, meters.registry());
    Shards shards =
        opened(
            Shards.open(
                store,
                List.of(leases, ids, members),
                shardsSettings(),
                Optional.empty(),
                machine,
                meters.registry()));
    served = Optional.of(shards);
    CallForwarder forwarder =
        opened(
            new CallForwarder(
                shards,
                name,
                options.callsPerConnection(),
                address -> network.channel(machine, address)));
    opened(
        GrpcHost.builder(hostSettings(), meters, machine)
            .withoutAdminPage()
            .router(forwarder)
            .add(LeaseService.on(shards, leases, shards.engine()))
            .add(IdService.on(shards, ids, shards.engine()))
            .add(RegistryService.on(shards, members, shards.engine()))
            .shards(new ShardList(shards, store))
            .afterBind(port -> shards.announce(address()))
            .start(network.serverBuilder(machine, address(), options.callsPerConnection())));
    ready = true;
    simulation.trace(name, "ready");
  }

  private ShardsSettings shardsSettings() {
    return TestSettings.read(
        ShardsSettings.class,
        "--count=" + options.shards(),
        "--threads=2",
        "--queue=" + options.queue(),
        "--request-memory=" + options.requestMemoryMiB() + "MiB");
  }

  private static HostSettings hostSettings() {
    return TestSettings.read(HostSettings.class, "--reflection=false", "--drain.grace=5s");
  }

  private <T extends AutoCloseable> T opened(T part) {
    parts.push(part);
    return part;
  }

  /** SIGKILL. */
  public void kill() {
    simulation.trace(name, "killed");
    down = true;
    process.kill();
    network.died(process);
    closeMetrics();
  }

  /** What the process itself keeps in this JVM. */
  void closeMetrics() {
    metrics.ifPresent(Metrics::close);
    metrics = Optional.empty();
  }

  /** SIGTERM: it hands its shards on, ends its calls, and is gone. */
  public void leave() {
    if (!ready) {
      kill(); // it has nothing to hand on
      return;
    }
    if (parts.isEmpty()) {
      return; // it leaves already
    }
    simulation.trace(name, "leaves");
    SimulatedProcess leaving = process;
    Deque<AutoCloseable> closing = parts;
    parts = new ArrayDeque<>();
    simulation
        .thread(process, "leave", () -> close(closing))
        .whenComplete(
            (done, thrown) ->
                simulation
                    .world()
                    .after(
                        0,
                        () -> {
                          if (process == leaving && !down) {
                            kill();
                          }
                        }));
  }

  private static void close(Deque<AutoCloseable> parts) {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("unclean end", e);
      }
    }
  }
}
