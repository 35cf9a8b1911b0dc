package dev.plinth.simulation.etcd;

import dev.plinth.shards.store.etcd.FencingContract;

class ModelFencingFaultsTest extends FencingContract {
  ModelFencingFaultsTest() {
    super(new ModelStores(ModelEtcd.FEW_FAULTS));
  }
}
