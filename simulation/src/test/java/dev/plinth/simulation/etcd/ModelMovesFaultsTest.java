package dev.plinth.simulation.etcd;

class ModelMovesFaultsTest extends ModelMovesTest {
  @Override
  EtcdFaults faults() {
    return ModelEtcd.FEW_FAULTS;
  }
}
