package dev.plinth.simulation.etcd;

import dev.plinth.machine.Machine;
import dev.plinth.shards.MovesContract;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.testkit.TestSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

// It waits for sessions to end rather than for the processor.
class ModelMovesTest extends MovesContract {
  private final ModelEtcd etcd = new ModelEtcd(faults());

  /** After the nodes, as methods of this class would not be. */
  @RegisterExtension final AfterEachCallback end = test -> etcd.close();

  ModelFaults faults() {
    return ModelFaults.none();
  }

  @Override
  protected ShardStore open(String node) {
    EtcdSettings settings =
        TestSettings.read(
            EtcdSettings.class,
            "--session-ttl=5s",
            "--authority-margin=1s",
            "--request-timeout=1s");
    return EtcdShardStore.open(
        new EtcdCluster(ModelEtcd.MEMBERS, settings),
        node,
        SHARDS,
        new SimpleMeterRegistry(),
        Machine.system(),
        etcd.connections(node));
  }
}
