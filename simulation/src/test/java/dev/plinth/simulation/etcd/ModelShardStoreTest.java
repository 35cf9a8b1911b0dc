package dev.plinth.simulation.etcd;

import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.ShardStoreContract;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import org.junit.jupiter.api.extension.RegisterExtension;

// It waits for sessions to end rather than for the processor.
class ModelShardStoreTest extends ShardStoreContract {
  @RegisterExtension final ModelStores stores = new ModelStores(faults());

  ModelFaults faults() {
    return ModelFaults.none();
  }

  @Override
  protected ShardStore open() {
    return stores.open("node-1", 2);
  }

  @Override
  protected void crash() {
    ((EtcdShardStore) store).abandon();
  }
}
