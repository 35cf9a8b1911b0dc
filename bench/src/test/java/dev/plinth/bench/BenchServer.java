package dev.plinth.bench;

import dev.plinth.id.IdService;
import dev.plinth.id.core.IdApp;
import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;

/** The services on shards and a bare echo on a real port of this JVM, and a channel to them. */
public final class BenchServer implements AutoCloseable {
  public static final int SHARDS = 16;

  private final Metrics metrics = new Metrics();
  private final ShardStore store;
  private final Shards shards;
  private final GrpcHost host;
  private final ManagedChannel channel;

  public BenchServer(Function<Metrics, ShardStore> open) {
    store = open.apply(metrics);
    LeaseApp leases = LeaseService.app(InstantSource.system(), metrics.registry());
    IdApp ids = IdService.app(InstantSource.system(), metrics.registry());
    shards =
        Shards.open(
            store,
            List.of(leases, ids),
            TestSettings.read(ShardsSettings.class),
            metrics.registry());
    host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics)
            .add(LeaseService.on(shards, leases, store))
            .add(IdService.on(shards, ids, store))
            .add(EchoService.plain())
            .start();
    channel = ManagedChannelBuilder.forTarget(target()).usePlaintext().build();
  }

  /** On the embedded store in a folder, which may be new. */
  public static BenchServer embedded(Path folder) {
    return new BenchServer(metrics -> EmbeddedShardStore.open(folder, SHARDS));
  }

  public String target() {
    return "127.0.0.1:" + host.port();
  }

  public ManagedChannel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    host.close();
    shards.close();
    store.close();
    metrics.close();
  }
}
