package dev.plinth.lease.grpc;

import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import io.grpc.Channel;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

/** The lease service behind the real host, on the embedded store in a folder. */
final class EmbeddedLeases implements AutoCloseable {
  private static final int SHARDS = 4;

  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final ShardStore store;
  private final Shards shards;
  private final InProcessHost host;

  /** Flags are those of the shards. */
  EmbeddedLeases(Path folder, String... flags) {
    store = EmbeddedShardStore.open(folder, SHARDS);
    LeaseApp app = LeaseService.app(InstantSource.system(), meters);
    String[] all =
        Stream.concat(Stream.of(flags), Stream.of("--count=" + SHARDS)).toArray(String[]::new);
    ShardsSettings settings = TestSettings.read(ShardsSettings.class, all);
    shards = Shards.open(store, List.of(app), settings, meters);
    host = InProcessHost.serving(LeaseService.on(shards, app, store));
  }

  Channel channel() {
    return host.channel();
  }

  MeterRegistry meters() {
    return meters;
  }

  @Override
  public void close() {
    host.close();
    shards.close();
    store.close();
  }
}
