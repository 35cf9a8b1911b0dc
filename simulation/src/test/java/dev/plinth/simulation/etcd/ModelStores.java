package dev.plinth.simulation.etcd;

import dev.plinth.machine.Machine;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdLink;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.shards.store.etcd.StoresUnderTest;
import io.etcd.jetcd.Client;
import java.time.Duration;

/** On the model of etcd. */
final class ModelStores extends StoresUnderTest {
  private final ModelEtcd etcd;
  private final Client client;

  ModelStores(ModelFaults faults) {
    etcd = closing(new ModelEtcd(faults));
    client = etcd.connections("test").client(ModelEtcd.MEMBERS, Duration.ofSeconds(10));
  }

  @Override
  public EtcdShardStore open(String node, int ttlSeconds) {
    EtcdCluster cluster = new EtcdCluster(ModelEtcd.MEMBERS, settings(ttlSeconds));
    return closing(
        EtcdShardStore.open(
            cluster, node, SHARDS, registry(), Machine.system(), etcd.connections(node)));
  }

  @Override
  public EtcdLink link(String node) {
    return etcd.link(node);
  }

  @Override
  public Client client() {
    return client;
  }
}
