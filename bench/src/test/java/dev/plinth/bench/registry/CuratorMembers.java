package dev.plinth.bench.registry;

import dev.plinth.bench.ZooKeeperProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.x.discovery.ServiceCache;
import org.apache.curator.x.discovery.ServiceDiscovery;
import org.apache.curator.x.discovery.ServiceDiscoveryBuilder;
import org.apache.curator.x.discovery.ServiceInstance;
import org.apache.curator.x.discovery.details.ServiceCacheListener;

/** Curator's service discovery on a ZooKeeper of its own: a session for each client. */
final class CuratorMembers implements MemberSystem {
  private static final String PATH = "/bench";

  private final ZooKeeperProcess zooKeeper;
  private final List<CuratorFramework> clients = new ArrayList<>();
  private final List<ServiceDiscovery<Void>> discoveries = new ArrayList<>();
  private final List<ServiceCache<Void>> caches = new ArrayList<>();
  private ServiceInstance<Void> changing;
  private int port = 8080;
  private volatile Arrivals arrivals;

  CuratorMembers(Path directory) throws Exception {
    zooKeeper = new ZooKeeperProcess(directory.resolve("discovery"));
  }

  private ServiceDiscovery<Void> connect() throws Exception {
    CuratorFramework client = zooKeeper.connect(PlinthMembers.TTL);
    clients.add(client);
    ServiceDiscovery<Void> discovery =
        ServiceDiscoveryBuilder.builder(Void.class).client(client).basePath(PATH).build();
    discovery.start();
    discoveries.add(discovery);
    return discovery;
  }

  @Override
  public void keepAlive(int sessions, int membersEach) throws Exception {
    for (int i = 0; i < sessions; i++) {
      ServiceDiscovery<Void> discovery = connect();
      for (int member = 0; member < membersEach; member++) {
        discovery.registerService(instance("kept", i + "-" + member, 8080));
      }
    }
  }

  private static ServiceInstance<Void> instance(String name, String id, int port) throws Exception {
    return ServiceInstance.<Void>builder().name(name).id(id).address("10.0.0.7").port(port).build();
  }

  @Override
  public double cpuSeconds() {
    return CpuTime.seconds(zooKeeper.pid());
  }

  @Override
  public void fill(int members) throws Exception {
    ServiceDiscovery<Void> discovery = connect();
    for (int i = 0; i < members; i++) {
      ServiceInstance<Void> made = instance(PlinthMembers.WATCHED, String.valueOf(i), port);
      discovery.registerService(made);
      changing = i == 0 ? made : changing;
    }
  }

  /** A cache for each client, which has the whole list when it has started. */
  @Override
  public void watch(int watchers) throws Exception {
    for (int i = 0; i < watchers; i++) {
      ServiceCache<Void> cache =
          discoveries
              .get(i % discoveries.size())
              .serviceCacheBuilder()
              .name(PlinthMembers.WATCHED)
              .build();
      int number = i;
      cache.addListener(
          new ServiceCacheListener() {
            @Override
            public void cacheChanged() {
              if (arrivals != null) {
                arrivals.seen(number);
              }
            }

            @Override
            public void stateChanged(CuratorFramework client, ConnectionState state) {}
          });
      cache.start();
      caches.add(cache);
    }
  }

  @Override
  public void cutWatches() throws IOException {
    for (ServiceCache<Void> cache : caches) {
      cache.close();
    }
    caches.clear();
  }

  @Override
  public void change(Arrivals expected) throws Exception {
    arrivals = expected;
    changing = instance(PlinthMembers.WATCHED, changing.getId(), ++port);
    discoveries.get(discoveries.size() - 1).updateService(changing);
  }

  @Override
  public void close() throws IOException {
    cutWatches();
    for (ServiceDiscovery<Void> discovery : discoveries) {
      discovery.close();
    }
    clients.forEach(CuratorFramework::close);
    zooKeeper.close();
  }
}
