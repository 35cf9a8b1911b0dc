package dev.plinth.shards;

import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.testkit.TestSettings;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class EtcdMovesTest extends MovesContract {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  private final String prefix = "/moves/" + UUID.randomUUID() + "/";

  @Override
  protected ShardStore open(String node) {
    EtcdSettings settings =
        TestSettings.read(
            EtcdSettings.class,
            "--prefix=" + prefix,
            "--session-ttl=5s",
            "--authority-margin=1s",
            "--request-timeout=1s");
    EtcdCluster etcd = new EtcdCluster(List.of(ETCD.hostPorts().split(",")), settings);
    return EtcdShardStore.open(etcd, node, SHARDS, new SimpleMeterRegistry());
  }
}
