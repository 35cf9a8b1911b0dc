package dev.plinth.simulation.etcd;

class ModelShardStoreFaultsTest extends ModelShardStoreTest {
  @Override
  EtcdFaults faults() {
    return ModelEtcd.FEW_FAULTS;
  }
}
