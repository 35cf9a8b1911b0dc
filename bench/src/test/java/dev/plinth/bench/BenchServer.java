package dev.plinth.bench;

import dev.plinth.server.GrpcHost;
import dev.plinth.server.HostedService;
import dev.plinth.server.Metrics;
import dev.plinth.shards.fixture.OwnShards;
import dev.plinth.shards.fixture.Wiring;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.util.function.Function;

/** A service and a bare echo on a real port of this JVM, and a channel to them. */
public final class BenchServer implements AutoCloseable {
  public static final int SHARDS = 16;

  private final Metrics metrics = new Metrics();
  private final GrpcHost host;
  private final ManagedChannel channel;

  public BenchServer(Function<Metrics, HostedService> service) {
    host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics)
            .add(service.apply(metrics))
            .add(EchoService.plain())
            .start();
    // Callers do next to nothing with an answer: it need not cost them another thread.
    channel = ManagedChannelBuilder.forTarget(target()).usePlaintext().directExecutor().build();
  }

  /** A service on shards of its own. */
  public static BenchServer on(Wiring<?> parts, Function<Metrics, ShardStore> open) {
    return new BenchServer(metrics -> OwnShards.of(parts, open.apply(metrics), metrics.registry()));
  }

  /** On the embedded store in a folder, which may be new. */
  public static BenchServer embedded(Wiring<?> parts, Path directory) {
    return on(parts, metrics -> EmbeddedShardStore.open(directory, SHARDS));
  }

  public String target() {
    return "127.0.0.1:" + host.port();
  }

  /** How often its shards have written to their store. */
  public long commits() {
    return metrics.registry().get("plinth.shards.commit").timer().count();
  }

  /** Rows that those commits wrote or deleted. */
  public long rowsWritten() {
    return (long) metrics.registry().get("plinth.shards.commit.writes").summary().totalAmount();
  }

  public ManagedChannel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    host.close();
    metrics.close();
  }
}
