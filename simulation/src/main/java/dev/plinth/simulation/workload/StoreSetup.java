package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.MemoryStoreControl;
import dev.plinth.simulation.cluster.SimulatedCluster;
import dev.plinth.simulation.cluster.StoreControl;
import dev.plinth.simulation.cluster.StoreFactory;
import dev.plinth.simulation.cluster.StoreFaults;
import dev.plinth.simulation.cluster.Takeovers;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import dev.plinth.simulation.store.etcd.EtcdStoreControl;

/** The store that a seed drew. */
record StoreSetup(StoreFactory factory, StoreControl control, Takeovers takeovers) {
  private static final long SECOND = 1_000_000_000L;

  static StoreSetup of(
      Simulation simulation, SimulatedNetwork network, SwarmOptions.ServerOptions servers) {
    Takeovers takeovers = new Takeovers(simulation);
    if (servers.etcd()) {
      EtcdStoreControl etcd =
          new EtcdStoreControl(
              simulation, servers.shards(), servers.sessionSeconds(), servers.commitsInFlight());
      return new StoreSetup(takeovers.observing(etcd), etcd, takeovers);
    }
    StoreFaults faults = new StoreFaults();
    return new StoreSetup(
        takeovers.observing(
            SimulatedCluster.memoryStore(
                simulation, network, faults, servers.shards(), servers.sessionSeconds() * SECOND)),
        new MemoryStoreControl(network, faults),
        takeovers);
  }
}
