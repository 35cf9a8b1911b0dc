package dev.plinth.simulation.etcd;

import dev.plinth.shards.store.etcd.FencingContract;

// It waits for sessions to end rather than for the processor.
class ModelFencingTest extends FencingContract {
  ModelFencingTest() {
    super(new ModelStores(ModelFaults.none().onOneMember()));
  }
}
