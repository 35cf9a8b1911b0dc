package dev.plinth.simulation.etcd;

import dev.plinth.shards.store.etcd.FencingContract;
import org.junit.jupiter.api.AfterAll;

// It waits for sessions to end rather than for the processor.
class ModelFencingFaultsTest extends FencingContract {
  private static final ModelFaults FAULTS = ModelFaults.of(0.1).onOneMember();

  ModelFencingFaultsTest() {
    super(new ModelStores(FAULTS));
  }

  @AfterAll
  static void allFaultsWereMet() {
    FAULTS.assertAllDrawn();
  }
}
