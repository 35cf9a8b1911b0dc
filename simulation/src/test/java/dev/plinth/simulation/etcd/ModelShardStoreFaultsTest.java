package dev.plinth.simulation.etcd;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

// It waits for sessions to end rather than for the processor.
@Execution(ExecutionMode.CONCURRENT)
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
