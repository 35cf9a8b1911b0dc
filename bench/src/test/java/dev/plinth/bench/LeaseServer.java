package dev.plinth.bench;

import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.fixture.OwnShards;
import dev.plinth.shards.fixture.Wiring;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.function.Function;

/** The lease service and a bare echo on a real port, and a channel to them. */
final class LeaseServer implements AutoCloseable {
  static final int SHARDS = 16;

  private final Metrics metrics = new Metrics();
  private final GrpcHost host;
  private final ManagedChannel channel;

  LeaseServer(Function<Metrics, ShardStore> open) {
    Wiring<LeaseApp> wiring = new Wiring<>(LeaseService::app, LeaseService::on);
    host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics)
            .add(OwnShards.of(wiring, open.apply(metrics), metrics.registry()))
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
    metrics.close();
  }
}
