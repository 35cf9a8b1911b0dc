package dev.plinth.shards.store.etcd;

import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.FaultProxy.Direction;
import dev.plinth.testkit.engine.SharedEngine;
import io.etcd.jetcd.Client;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** On a real etcd. */
final class Stores extends StoresUnderTest {
  private final SharedEngine etcd;
  private final Map<String, String> addresses = new HashMap<>();
  private Client client;

  Stores(SharedEngine etcd) {
    this.etcd = etcd;
  }

  @Override
  public EtcdShardStore open(String node, int ttlSeconds) {
    return open(addresses.getOrDefault(node, etcd.hostPorts()), node, settings(ttlSeconds));
  }

  EtcdShardStore open(String hostPorts, String node, EtcdSettings settings) {
    EtcdCluster cluster = new EtcdCluster(List.of(hostPorts.split(",")), settings);
    return closing(EtcdShardStore.open(cluster, node, SHARDS, registry()));
  }

  EtcdShardStore open(String node, EtcdSettings settings, InstantSource wall) {
    EtcdCluster cluster = new EtcdCluster(List.of(etcd.hostPorts()), settings);
    return closing(
        EtcdShardStore.open(cluster, node, SHARDS, registry(), ClockedMachine.ofWall(wall)));
  }

  @Override
  public EtcdLink link(String node) {
    FaultProxy proxy = proxy();
    addresses.put(node, proxy.address());
    return new ProxiedLink(proxy);
  }

  private record ProxiedLink(FaultProxy proxy) implements EtcdLink {
    @Override
    public void silence() {
      proxy.halfOpen();
    }

    @Override
    public void loseRequests() {
      proxy.drop(Direction.TO_SERVER);
    }

    @Override
    public void loseAnswers() {
      proxy.drop(Direction.TO_CLIENT);
    }

    @Override
    public void heal() {
      proxy.heal();
    }
  }

  /** A proxy to the first member. */
  FaultProxy proxy() {
    return closing(FaultProxy.to(etcd.address().getHostString(), etcd.address().getPort()));
  }

  @Override
  public Client client() {
    if (client == null) {
      client = closing(Client.builder().target("ip:///" + etcd.hostPorts()).build());
    }
    return client;
  }
}
