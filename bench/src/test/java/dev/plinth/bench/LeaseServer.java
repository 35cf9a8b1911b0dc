package dev.plinth.bench;

import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;

/** The lease service and a bare echo on a real port, and a channel to them. */
final class LeaseServer implements AutoCloseable {
  static final int SHARDS = 16;

  private final Metrics metrics = new Metrics();
  private final ShardStore store;
  private final Shards shards;
  private final GrpcHost host;
  private final ManagedChannel channel;

  LeaseServer(Function<Metrics, ShardStore> open) {
    store = open.apply(metrics);
    LeaseApp app = LeaseService.app(InstantSource.system(), metrics.registry());
    shards =
        Shards.open(
            store, List.of(app), TestSettings.read(ShardsSettings.class), metrics.registry());
    host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics)
            .add(LeaseService.on(shards, app, store))
            .add(EchoService.plain())
            .start();
    channel = ManagedChannelBuilder.forAddress("127.0.0.1", host.port()).usePlaintext().build();
  }

  ManagedChannel channel() {
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
