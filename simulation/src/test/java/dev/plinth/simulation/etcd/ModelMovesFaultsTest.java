package dev.plinth.simulation.etcd;

import org.junit.jupiter.api.AfterAll;

// It waits for sessions to end rather than for the processor.
class ModelMovesFaultsTest extends ModelMovesTest {
  private static final ModelFaults FAULTS = ModelFaults.of(0.01);

  @Override
  ModelFaults faults() {
    return FAULTS;
  }

  @AfterAll
  static void allFaultsWereMet() {
    FAULTS.assertAllDrawn();
  }
}
