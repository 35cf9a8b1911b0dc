package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.core.Budget;
import dev.plinth.ratelimit.core.Charge;
import dev.plinth.ratelimit.core.Limit;
import dev.plinth.ratelimit.core.OnChange;
import dev.plinth.ratelimit.core.Operation;
import dev.plinth.ratelimit.core.Outcome;
import dev.plinth.ratelimit.core.Request;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis as people run it, on real servers: with TLS, behind sentinels, as a cluster. */
@Tag("engine")
class RedisTopologiesTest {
  private static final Budget COUNTED =
      new Budget(
          "counted",
          new Limit.FixedWindow(1_000_000_000, 1L << 52),
          1,
          OnChange.AS_IS,
          false,
          Optional.empty());

  @RegisterExtension static final SharedEngine TLS = Engines.redisTls();
  @RegisterExtension static final SharedEngine SENTINEL = Engines.redisSentinel();
  @RegisterExtension static final SharedEngine CLUSTER = Engines.redisCluster();

  private RedisBudgetStore store;

  @AfterEach
  void close() {
    if (store != null) {
      store.close();
    }
  }

  private void open(String address, Optional<Path> ca) {
    store =
        RedisBudgetStore.open(
            address,
            Duration.ofSeconds(5),
            new RedisSettings(2, Optional.empty(), ca),
            ForkJoinPool.commonPool());
  }

  private void opened(String address, Optional<Path> ca) {
    open(address, ca);
    Await.until("a connection", () -> store.unavailableReason().isEmpty());
  }

  private long used(String domain, long cost) {
    Request request = Request.of(Operation.Take.of(List.of(new Charge(COUNTED, cost))));
    Outcome.Taken taken =
        (Outcome.Taken) store.apply(domain, List.of(request)).toCompletableFuture().join().get(0);
    return COUNTED.limit().size() - taken.standings().get(0).available();
  }

  private boolean takes(String domain) {
    try {
      return used(domain, 1) > 0;
    } catch (CompletionException e) {
      return false;
    }
  }

  private static String name() {
    return "d" + UUID.randomUUID();
  }

  private static void on(InetSocketAddress address, Consumer<RedisCommands<String, String>> task) {
    RedisClient admin =
        RedisClient.create(RedisURI.create(address.getHostString(), address.getPort()));
    try (var connection = admin.connect()) {
      task.accept(connection.sync());
    } finally {
      admin.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
  }

  @Test
  void tls_withTheAuthoritysCertificate_decides() {
    opened("rediss://" + TLS.hostPorts(), Optional.of(Engines.redisCertificate()));
    assertEquals(1, used(name(), 1));
  }

  @Test
  void tls_withACertificateThatNobodyTrusts_isTrouble_andSendsNothing() {
    open("rediss://" + TLS.hostPorts(), Optional.empty());
    Await.until(
        "the reason",
        () -> store.unavailableReason().orElse("").matches("(?s).*(certif|PKIX|handshake).*"));
  }

  private static String sentinels() {
    return "redis-sentinel://" + SENTINEL.node(2).hostPort() + "#plinth-primary";
  }

  @Test
  void sentinel_failover_theNewPrimaryDecides_andTheOldOneStaysAsAReplica() {
    SENTINEL.restartEmpty();
    String domain = name();
    opened(sentinels(), Optional.empty());
    assertEquals(1, used(domain, 1));
    on(SENTINEL.node(0).address(), redis -> redis.waitForReplication(1, 5_000));
    sentinelFailover();
    Await.until("the old primary is a replica", () -> isReplica(SENTINEL.node(0).address()));
    Await.until("decisions of the new primary", () -> takes(domain));
    assertTrue(used(domain, 0) >= 2, "what was replicated is there");
  }

  static void sentinelFailover() {
    on(
        SENTINEL.node(2).address(),
        redis ->
            redis.dispatch(
                CommandType.SENTINEL,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).add("FAILOVER").add("plinth-primary")));
  }

  private static boolean isReplica(InetSocketAddress address) {
    boolean[] replica = new boolean[1];
    on(address, redis -> replica[0] = redis.info("replication").contains("role:slave"));
    return replica[0];
  }

  @Test
  void primaryThatBecameAReplica_closesTheLinks_untilItIsAPrimaryAgain() {
    SENTINEL.restartEmpty();
    String domain = name();
    InetSocketAddress first = SENTINEL.node(0).address();
    InetSocketAddress second = SENTINEL.node(1).address();
    SENTINEL.node(2).kill(); // or else it would have its own view
    opened("redis://" + SENTINEL.node(0).hostPort(), Optional.empty());
    assertEquals(1, used(domain, 1));
    on(second, RedisCommands::replicaofNoOne);
    on(first, redis -> redis.replicaof(second.getHostString(), second.getPort()));
    Await.until(
        "the links are left",
        () -> !takes(domain) && store.unavailableReason().orElse("").contains("it is a replica"));
    on(first, RedisCommands::replicaofNoOne);
    Await.until("decisions again", () -> takes(domain));
  }

  @Test
  void sentinel_primaryKilled_theReplicaDecides() {
    SENTINEL.restartEmpty();
    String domain = name();
    opened(sentinels(), Optional.empty());
    assertEquals(1, used(domain, 1));
    on(SENTINEL.node(0).address(), redis -> redis.waitForReplication(1, 5_000));
    SENTINEL.node(0).kill();
    Await.until("decisions of the new primary", () -> takes(domain));
    assertTrue(used(domain, 0) >= 2, "what was replicated is there");
  }

  @Test
  void cluster_domainsAreDecidedAtTheirNodes() {
    opened("redis-cluster://" + CLUSTER.node(0).hostPort(), Optional.empty());
    for (int i = 0; i < 30; i++) {
      String domain = name();
      assertEquals(1, used(domain, 1));
      assertEquals(2, used(domain, 1));
    }
    for (int i = 0; i < 3; i++) {
      on(CLUSTER.node(i).address(), redis -> assertTrue(redis.dbsize() > 0, "keys at each node"));
    }
  }

  @Test
  void cluster_slotThatMoved_isFollowed() {
    String domain = name();
    opened("redis-cluster://" + CLUSTER.hostPorts(), Optional.empty());
    used(domain, 1);
    int slot = SlotHash.getSlot(domain);
    String[] ids = new String[3];
    int[] from = {-1};
    for (int i = 0; i < 3; i++) {
      int node = i;
      on(
          CLUSTER.node(i).address(),
          redis -> {
            ids[node] = redis.clusterMyId();
            from[0] = redis.clusterCountKeysInSlot(slot) > 0 ? node : from[0];
          });
    }
    int to = (from[0] + 1) % 3;
    on(
        CLUSTER.node(from[0]).address(),
        redis -> redis.keys("*{" + domain + "}*").forEach(redis::del));
    for (int i : new int[] {to, from[0], 3 - to - from[0]}) {
      on(CLUSTER.node(i).address(), redis -> redis.clusterSetSlotNode(slot, ids[to]));
    }
    Await.until("decisions at the other node", () -> takes(domain));
    on(CLUSTER.node(to).address(), redis -> assertTrue(redis.clusterCountKeysInSlot(slot) > 0));
  }

  @Test
  void cluster_nodeKilled_otherDomainsAreDecided() {
    opened("redis-cluster://" + CLUSTER.hostPorts(), Optional.empty());
    CLUSTER.node(0).kill();
    Await.until("trouble", () -> store.unavailableReason().isPresent());
    String away = domainOf(0);
    String there = domainOf(1);
    Await.until("others are decided", () -> takes(there));
    assertTrue(!takes(away), "its own are not");
    CLUSTER.node(0).restart();
    Await.until("it is back", () -> takes(away));
  }

  private static String domainOf(int node) {
    for (int i = 0; ; i++) {
      String domain = "n" + i + UUID.randomUUID();
      if (SlotHash.getSlot(domain) * 3 / SlotHash.SLOT_COUNT == node) {
        return domain;
      }
    }
  }
}
