package dev.plinth.simulation.etcd;

import dev.plinth.shards.store.etcd.FencingContract;

class ModelFencingTest extends FencingContract {
  ModelFencingTest() {
    super(new ModelStores(ModelFaults.none().onOneMember()));
  }
}
