package dev.plinth.client.id;

import dev.plinth.id.IdService;
import dev.plinth.id.core.IdApp;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.GetNamespaceRequest;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.IdServiceGrpc.IdServiceBlockingStub;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/** The real id allocator on a port and the embedded store. */
final class IdServer implements AutoCloseable {
  private final Metrics metrics = new Metrics();
  private final ShardStore store;
  private final Shards shards;
  private final GrpcHost host;
  private final ManagedChannel channel;

  IdServer(Path directory, InstantSource clock) {
    store = EmbeddedShardStore.open(directory, 1);
    IdApp app = IdService.app(clock, metrics.registry());
    ShardsSettings settings = TestSettings.read(ShardsSettings.class, "--count=1");
    shards = Shards.open(store, List.of(app), settings, metrics.registry());
    host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics)
            .add(IdService.on(shards, app, store))
            .start();
    channel = Grpc.newChannelBuilder(target(), InsecureChannelCredentials.create()).build();
  }

  int port() {
    return host.port();
  }

  String target() {
    return "localhost:" + port();
  }

  IdServiceBlockingStub ids() {
    return IdServiceGrpc.newBlockingStub(channel);
  }

  void put(String namespace, Definition.Builder definition) {
    ids()
        .putNamespace(
            PutNamespaceRequest.newBuilder()
                .setNamespace(namespace)
                .setDefinition(definition)
                .build());
  }

  static Definition.Builder dense(long minRange, long maxRange) {
    return Definition.newBuilder()
        .setFormat(Format.FORMAT_DENSE)
        .setMinRange(minRange)
        .setMaxRange(maxRange);
  }

  /** In milliseconds from 2025 on. */
  static Definition.Builder flakes(int workerBits, int sequenceBits) {
    return Definition.newBuilder()
        .setFormat(Format.FORMAT_SNOWFLAKE)
        .setLayout(
            Layout.newBuilder()
                .setEpochMs(1_735_689_600_000L)
                .setTimeBits(63 - workerBits - sequenceBits)
                .setWorkerBits(workerBits)
                .setSequenceBits(sequenceBits));
  }

  NamespaceStatus get(String namespace) {
    return ids()
        .getNamespace(GetNamespaceRequest.newBuilder().setNamespace(namespace).build())
        .getStatus();
  }

  MeterRegistry meters() {
    return metrics.registry();
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
