package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.NodeOptions;
import dev.plinth.simulation.cluster.SimulatedCluster;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import java.util.List;

/** The servers of a run with their network, store and faults, as its seed drew them. */
public final class SimulatedPlatform implements AutoCloseable {
  private final Simulation simulation;
  private final SwarmOptions options;
  private final WorkloadLog log = new WorkloadLog();
  private final SimulatedNetwork network;
  private final SimulatedCluster cluster;
  private final FaultInjector faults;

  SimulatedPlatform(Simulation simulation, SwarmOptions options) {
    this.simulation = simulation;
    this.options = options;
    network = new SimulatedNetwork(simulation);
    SwarmOptions.ServerOptions servers = options.settings();
    StoreSetup store = StoreSetup.of(simulation, network, servers);
    NodeOptions nodes =
        new NodeOptions(
            servers.nodes(),
            servers.shards(),
            servers.queue(),
            servers.requestMemoryMiB(),
            servers.callsPerConnection());
    cluster = new SimulatedCluster(simulation, network, store.factory(), nodes);
    faults =
        new FaultInjector(simulation, network, cluster, store.control(), options, log)
            .aimingBy(store.takeovers());
  }

  public Simulation simulation() {
    return simulation;
  }

  public SwarmOptions options() {
    return options;
  }

  public WorkloadLog log() {
    return log;
  }

  public SimulatedNetwork network() {
    return network;
  }

  public List<String> addresses() {
    return cluster.addresses();
  }

  /** How often a node began a life. */
  public long starts() {
    return cluster.nodes().stream().mapToLong(node -> node.lives()).sum();
  }

  /** A client without threads; see {@link WireClient}. */
  public WireClient client(String name) {
    return new WireClient(network, simulation, name, new WireClient.Setting(addresses(), log));
  }

  /** Asks for what is so at the end; all must be healed. */
  public FinalQuestions questions() {
    return new FinalQuestions(client("checker"), simulation);
  }

  void start() {
    cluster.start();
    faults.start();
  }

  void heal() {
    faults.heal();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
