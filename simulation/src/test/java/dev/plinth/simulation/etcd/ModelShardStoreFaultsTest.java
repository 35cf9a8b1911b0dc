package dev.plinth.simulation.etcd;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

// A release waits for commits for a while only, too short beside suites that need the processor.
@Execution(ExecutionMode.SAME_THREAD)
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
