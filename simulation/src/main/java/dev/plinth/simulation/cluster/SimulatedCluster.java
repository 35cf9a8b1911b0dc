package dev.plinth.simulation.cluster;

import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** The nodes of one platform. */
public final class SimulatedCluster implements AutoCloseable {
  private final List<SimulatedNode> nodes = new ArrayList<>();

  public SimulatedCluster(
      Simulation simulation, SimulatedNetwork network, StoreFactory stores, NodeOptions options) {
    for (int i = 0; i < options.nodes(); i++) {
      nodes.add(new SimulatedNode(simulation, network, stores, options, "node" + i));
    }
  }

  /** On a store without an engine. */
  public static StoreFactory memoryStore(
      Simulation simulation,
      SimulatedNetwork network,
      StoreFaults faults,
      int shards,
      long sessionNanos) {
    MemoryStoreEngine engine = new MemoryStoreEngine(simulation, shards, sessionNanos);
    return (machine, registry) ->
        MemoryShardStore.open(engine, new StoreRequests(network, machine, faults), machine);
  }

  public void start() {
    nodes.forEach(SimulatedNode::start);
  }

  public List<SimulatedNode> nodes() {
    return List.copyOf(nodes);
  }

  /** The shard of a key; none before any node was up. */
  public OptionalInt shardOf(String key) {
    return nodes.stream()
        .map(node -> node.shardOf(key))
        .filter(OptionalInt::isPresent)
        .findFirst()
        .orElse(OptionalInt.empty());
  }

  public List<String> addresses() {
    return nodes.stream().map(SimulatedNode::address).toList();
  }

  @Override
  public void close() {
    nodes.forEach(SimulatedNode::closeMetrics);
  }
}
