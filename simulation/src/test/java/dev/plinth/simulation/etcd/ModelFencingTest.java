package dev.plinth.simulation.etcd;

import dev.plinth.shards.store.etcd.FencingContract;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

// It waits for sessions to end rather than for the processor.
@Execution(ExecutionMode.CONCURRENT)
class ModelFencingTest extends FencingContract {
  ModelFencingTest() {
    super(new ModelStores(ModelFaults.none().onOneMember()));
  }
}
