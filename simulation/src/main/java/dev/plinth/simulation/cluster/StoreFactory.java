package dev.plinth.simulation.cluster;

import dev.plinth.shards.store.ShardStore;
import dev.plinth.simulation.kernel.SimulatedMachine;
import io.micrometer.core.instrument.MeterRegistry;

/** Opens the store of a node. On a thread that may block. */
public interface StoreFactory {
  ShardStore open(SimulatedMachine machine, MeterRegistry registry);
}
