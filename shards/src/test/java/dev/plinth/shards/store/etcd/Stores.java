package dev.plinth.shards.store.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.server.settings.ByteSize;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.engine.SharedEngine;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The stores of one test, under a prefix of its own, and a way around them; closed after it. */
final class Stores implements AfterEachCallback {
  static final int SHARDS = 4;
  private static final Duration REQUEST_TIMEOUT = Duration.ofMillis(500);

  final String prefix = "/test/" + UUID.randomUUID() + "/";
  final EtcdKeys etcdKeys = new EtcdKeys(prefix);
  private final SharedEngine etcd;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private Client client;
  private final List<MeterRegistry> registries = new ArrayList<>();

  Stores(SharedEngine etcd) {
    this.etcd = etcd;
  }

  EtcdSettings settings(int ttlSeconds) {
    return settings(ttlSeconds, Duration.ZERO);
  }

  EtcdSettings settings(int ttlSeconds, Duration compactionInterval) {
    Duration margin = Duration.ofMillis(ttlSeconds * 1000 / 4);
    return new EtcdSettings(
        prefix,
        Duration.ofSeconds(ttlSeconds),
        margin,
        REQUEST_TIMEOUT,
        3,
        compactionInterval,
        ByteSize.parse("2GiB"));
  }

  EtcdShardStore open(String node, int ttlSeconds) {
    return open(etcd.hostPorts(), node, settings(ttlSeconds));
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

  /** A proxy to the first member. */
  FaultProxy proxy() {
    return closing(FaultProxy.to(etcd.address().getHostString(), etcd.address().getPort()));
  }

  /** A bare client, past any proxy. */
  Client client() {
    if (client == null) {
      client = closing(Client.builder().target("ip:///" + etcd.hostPorts()).build());
    }
    return client;
  }

  ByteSequence row(int shard, String key) {
    return etcdKeys.rows(shard).concat(EtcdKeys.bytes(key));
  }

  Optional<KeyValue> find(ByteSequence key) {
    return EtcdKeys.only(client().getKVClient().get(key).join());
  }

  /** How often a row of shard 0 was written since it was made; 0 where there is none. */
  long version(String key) {
    return find(row(0, key)).map(KeyValue::getVersion).orElse(0L);
  }

  /** Ends the lease of a shard's owner behind its back. */
  void revoke(int shard) {
    long lease = find(etcdKeys.owner(shard)).orElseThrow().getLease();
    client().getLeaseClient().revoke(lease).join();
  }

  static OwnedShard claim(EtcdShardStore store, int shard) {
    List<OwnedShard> mine = new ArrayList<>();
    Await.until("shard is claimed", () -> store.claim(shard).map(mine::add).orElse(false));
    return mine.get(0);
  }

  static Write put(String key, String value) {
    return Write.put(key, value.getBytes(UTF_8));
  }

  static CommitResult await(CompletableFuture<CommitResult> commit) {
    return commit.orTimeout(30, TimeUnit.SECONDS).join();
  }

  static boolean isDone(CompletableFuture<CommitResult> commit) {
    return commit.orTimeout(30, TimeUnit.SECONDS).handle((r, t) -> r == CommitResult.DONE).join();
  }

  static StoreUnavailable unavailable(CompletableFuture<CommitResult> commit) {
    CompletionException thrown = assertThrows(CompletionException.class, () -> await(commit));
    return (StoreUnavailable) thrown.getCause();
  }

  static Map<String, String> rows(OwnedShard shard) {
    Map<String, String> rows = new TreeMap<>();
    shard.load().forEach(row -> rows.put(row.key(), new String(row.value(), UTF_8)));
    return rows;
  }

  <C extends AutoCloseable> C closing(C closeable) {
    opened.add(closeable);
    return closeable;
  }

  private MeterRegistry registry() {
    registries.add(new SimpleMeterRegistry());
    return registries.get(registries.size() - 1);
  }

  /** The meters of the store that was opened first. */
  MeterRegistry meters() {
    return registries.get(0);
  }

  double retries(String reason) {
    return meters()
        .get("plinth.shards.store.commit.retries")
        .tag("reason", reason)
        .counter()
        .count();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    Collections.reverse(opened);
    for (AutoCloseable closeable : opened) {
      closeable.close();
    }
  }
}
