package dev.plinth.standalone;

import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.server.DataFolder;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.server.Running;
import dev.plinth.server.StartRefused;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.Shards;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Every service in one process: the composition root. */
public final class Plinth implements Running {
  private final PlinthSettings settings;
  // In the order they were opened; closed in reverse.
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final ShardStore store;
  private final GrpcHost host;

  private Plinth(PlinthSettings settings) {
    this.settings = settings;
    try {
      InstantSource clock = InstantSource.system();
      Metrics metrics = opened(new Metrics());
      GrpcHost.Builder building = GrpcHost.builder(settings.host(), metrics);
      store = openStore(building, metrics);
      LeaseApp leases = LeaseService.app(clock, metrics.registry());
      Shards shards =
          opened(Shards.open(store, List.of(leases), settings.shards(), metrics.registry()));
      host = opened(building.add(LeaseService.on(shards, leases, store)).start());
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private ShardStore openStore(GrpcHost.Builder building, Metrics metrics) {
    Coordination where = Coordination.parse(settings.coordination());
    int shards = settings.shards().count();
    try {
      if (!where.isEmbedded()) {
        EtcdCluster etcd = new EtcdCluster(where.etcd(), settings.etcd());
        return opened(EtcdShardStore.open(etcd, node(), shards, metrics.registry()));
      }
      DataFolder data = opened(DataFolder.open(settings.dataDir(), Instant.now()));
      building.engine(data);
      return opened(EmbeddedShardStore.open(data.path().resolve("coordination"), shards));
    } catch (StoreUnavailable e) {
      throw new StartRefused(e.getMessage(), e);
    }
  }

  private String node() {
    return settings.node().orElseGet(() -> hostName() + "/" + ProcessHandle.current().pid());
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  private <T extends AutoCloseable> T opened(T part) {
    parts.push(part);
    return part;
  }

  public static Plinth start(PlinthSettings settings) {
    return new Plinth(settings);
  }

  public int port() {
    return host.port();
  }

  public int adminPort() {
    return host.adminPort();
  }

  /** Addresses and engines, for the ready line. */
  String summary() {
    String bind = settings.host().bind();
    return "gRPC on %s:%d, admin on http://%s:%d, %s engine in %s"
        .formatted(bind, port(), bind, adminPort(), store.kind(), store.location());
  }

  @Override
  public Duration closeAtMost() {
    return settings.host().drain().atMost();
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        // The parts below it must still be closed.
        System.getLogger("plinth.main").log(System.Logger.Level.ERROR, "unclean end", e);
      }
    }
  }
}
