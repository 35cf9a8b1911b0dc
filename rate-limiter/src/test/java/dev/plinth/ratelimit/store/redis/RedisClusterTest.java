package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.protocol.CommandType;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis as a cluster, on real servers. */
@Tag("engine")
class RedisClusterTest extends RedisTopologyCase {
  @RegisterExtension static final SharedEngine CLUSTER = Engines.redisCluster();
  @RegisterExtension static final SharedEngine LONE = Engines.redisClusterOfOne();
  @RegisterExtension static final SharedEngine TLS = Engines.redisClusterTls();

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

  /** What a slot's move needs to know. */
  private record Slot(int number, String[] ids, int at) {
    static Slot of(String domain) {
      int slot = SlotHash.getSlot(domain);
      String[] ids = new String[3];
      int[] at = {-1};
      for (int i = 0; i < 3; i++) {
        int node = i;
        on(
            CLUSTER.node(i).address(),
            redis -> {
              ids[node] = redis.clusterMyId();
              at[0] = redis.clusterCountKeysInSlot(slot) > 0 ? node : at[0];
            });
      }
      return new Slot(slot, ids, at[0]);
    }

    int next() {
      return (at + 1) % 3;
    }

    void empty(String domain) {
      on(CLUSTER.node(at).address(), redis -> redis.keys("*{" + domain + "}*").forEach(redis::del));
    }

    void moveToNext() {
      for (int i : new int[] {next(), at, 3 - next() - at}) {
        on(CLUSTER.node(i).address(), redis -> redis.clusterSetSlotNode(number, ids[next()]));
      }
    }
  }

  @Test
  void cluster_slotThatMoved_isFollowedAtOnce_byWhatRedisAnswers() {
    String domain = name();
    opened("redis-cluster://" + CLUSTER.hostPorts(), Optional.empty());
    used(domain, 1);
    for (int i = 0; i < 6; i++) { // sooner than the next look at who has which slots
      Slot slot = Slot.of(domain);
      slot.empty(domain);
      slot.moveToNext();
      assertEquals(1, used(domain, 1));
      on(
          CLUSTER.node(slot.next()).address(),
          redis -> assertTrue(redis.clusterCountKeysInSlot(slot.number) > 0));
    }
  }

  @Test
  void cluster_slotThatIsBeingMoved_isRefused_andNothingIsDone() {
    String domain = name();
    opened("redis-cluster://" + CLUSTER.hostPorts(), Optional.empty());
    used(domain, 1);
    Slot slot = Slot.of(domain);
    slot.empty(domain);
    on(
        CLUSTER.node(slot.next()).address(),
        redis -> redis.clusterSetSlotImporting(slot.number, slot.ids[slot.at]));
    on(
        CLUSTER.node(slot.at).address(),
        redis -> redis.clusterSetSlotMigrating(slot.number, slot.ids[slot.next()]));
    CompletionException asked =
        assertThrows(CompletionException.class, () -> used(domain, 1)); // with ASK
    StoreUnavailable refused = assertInstanceOf(StoreUnavailable.class, asked.getCause());
    assertTrue(refused.getMessage().contains("ASK "), refused::getMessage);
    assertFalse(refused.mayHaveApplied());
    slot.moveToNext();
    assertEquals(1, used(domain, 1));
  }

  @Test
  void cluster_topology_comesFromAnyNodeThatTellsIt() {
    for (int i = 0; i < 3; i++) {
      int only = i;
      for (int other : new int[] {(only + 1) % 3, (only + 2) % 3}) {
        on(
            CLUSTER.node(other).address(),
            redis ->
                redis.aclSetuser(
                    "default", AclSetuserArgs.Builder.removeCommand(CommandType.CLUSTER)));
      }
      try {
        opened("redis-cluster://" + CLUSTER.hostPorts(), Optional.empty());
        assertEquals(1, used(name(), 1));
        store.close();
      } finally {
        for (int node = 0; node < 3; node++) {
          on(
              CLUSTER.node(node).address(),
              redis ->
                  redis.aclSetuser(
                      "default", AclSetuserArgs.Builder.addCommand(CommandType.CLUSTER)));
        }
      }
    }
  }

  @Test
  void cluster_seedThatBelongsToNoCluster_isNotBelieved() {
    InetSocketAddress lone = LONE.address();
    on(
        lone,
        redis -> {
          redis.flushall(); // or else it keeps its slots
          redis.clusterFlushslots();
        });
    try {
      for (int i = 0; i < 3; i++) {
        opened(
            "redis-cluster://" + LONE.hostPorts() + "," + CLUSTER.node(i).hostPort(),
            Optional.empty());
        assertEquals(1, used(name(), 1));
        store.close();
      }
    } finally {
      on(lone, RedisClusterTest::addAllSlots);
    }
  }

  private static void addAllSlots(RedisCommands<String, String> redis) {
    redis.clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT).toArray());
  }

  @Test
  void cluster_nodeThatDoesNotKnowItsHost_hasTheOneThatWasAsked() {
    opened("redis-cluster://" + LONE.hostPorts(), Optional.empty());
    assertEquals(1, used(name(), 1));
  }

  @Test
  void cluster_overTls_decidesAtEachNode_andTrustsNobodyElse() {
    opened("rediss-cluster://" + TLS.node(0).hostPort(), Optional.of(Engines.redisCertificate()));
    for (int node = 0; node < 3; node++) {
      assertEquals(1, used(domainOf(node), 1));
    }
    store.close();
    open("rediss-cluster://" + TLS.node(0).hostPort(), Optional.empty());
    Await.until(
        "the reason",
        () -> store.unavailableReason().orElse("").matches("(?s).*(certif|PKIX|handshake).*"));
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
