package dev.plinth.lease.grpc;

import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.Channel;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The lease service behind the real host. Stopped and started again, it finds what it had stored.
 */
final class LeaseServer implements AutoCloseable {
  private static final int SHARDS = 4;

  private final String name;
  private final Supplier<ShardStore> stores;
  private final Runnable cleanUp;
  private final String[] flags;
  private MeterRegistry meters;
  private ShardStore store;
  private Shards shards;
  private InProcessHost host;

  private LeaseServer(String name, Supplier<ShardStore> stores, Runnable cleanUp, String... flags) {
    this.name = name;
    this.stores = stores;
    this.cleanUp = cleanUp;
    this.flags = flags;
    start();
  }

  /** In a folder of its own. Flags are those of the shards, or begin with {@code --limits}. */
  static LeaseServer embedded(String... flags) {
    Path folder = temporary();
    return new LeaseServer(
        "embedded", () -> EmbeddedShardStore.open(folder, SHARDS), () -> delete(folder), flags);
  }

  static LeaseServer onEtcd(SharedEngine etcd, String prefix, String... flags) {
    return onEtcd(etcd, settings("--prefix=" + prefix, "--compaction-interval=0s"), flags);
  }

  static LeaseServer onEtcd(SharedEngine etcd, EtcdSettings settings, String... flags) {
    EtcdCluster cluster = new EtcdCluster(List.of(etcd.hostPorts()), settings);
    return new LeaseServer(
        "etcd",
        () -> EtcdShardStore.open(cluster, "node-1", SHARDS, new SimpleMeterRegistry()),
        () -> {},
        flags);
  }

  static EtcdSettings settings(String... flags) {
    return TestSettings.read(EtcdSettings.class, flags);
  }

  private void start() {
    meters = new SimpleMeterRegistry();
    store = stores.get();
    LeaseApp app = LeaseService.app(InstantSource.system(), meters);
    ShardsSettings settings = TestSettings.read(ShardsSettings.class, flags(false));
    shards = Shards.open(store, List.of(app), settings, meters);
    host = InProcessHost.serving(LeaseService.on(shards, app, store), flags(true));
  }

  private String[] flags(boolean ofTheHost) {
    Stream<String> all = Stream.concat(Stream.of(flags), Stream.of("--count=" + SHARDS));
    return all.filter(flag -> flag.startsWith("--limits") == ofTheHost).toArray(String[]::new);
  }

  private void stop() {
    host.close();
    shards.close();
    store.close();
  }

  /** On the same data. */
  void restart() {
    stop();
    start();
  }

  Channel channel() {
    return host.channel();
  }

  MeterRegistry meters() {
    return meters;
  }

  @Override
  public void close() {
    stop();
    cleanUp.run();
  }

  @Override
  public String toString() {
    return name;
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("leases");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
