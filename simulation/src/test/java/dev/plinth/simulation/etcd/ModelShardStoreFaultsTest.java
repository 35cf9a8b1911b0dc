package dev.plinth.simulation.etcd;

import org.junit.jupiter.api.AfterAll;

class ModelShardStoreFaultsTest extends ModelShardStoreTest {
  private static final ModelFaults FAULTS = ModelFaults.of(0.03);

  @Override
  ModelFaults faults() {
    return FAULTS;
  }

  @AfterAll
  static void allFaultsWereMet() {
    FAULTS.assertAllDrawn();
  }
}
