package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis on real servers with TLS and behind sentinels. */
@Tag("engine")
class RedisTopologiesTest extends RedisTopologyCase {
  @RegisterExtension static final SharedEngine TLS = Engines.redisTls();
  @RegisterExtension static final SharedEngine SENTINEL = Engines.redisSentinel();
  @RegisterExtension static final SharedEngine TLS_SENTINEL = Engines.redisSentinelTls();

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

  @Test
  void tls_withACertificateForAnotherHost_isRefused() {
    open("rediss://localhost:" + TLS.address().getPort(), Optional.of(Engines.redisCertificate()));
    Await.until(
        "the reason",
        () -> store.unavailableReason().orElse("").contains("No name matching localhost"));
  }

  @Test
  void tlsSentinel_primaryKilled_theReplicaDecides_andNobodyElseIsTrusted() {
    TLS_SENTINEL.restartEmpty();
    String address = "rediss-sentinel://" + TLS_SENTINEL.node(2).hostPort() + "#plinth-primary";
    String domain = name();
    opened(address, Optional.of(Engines.redisCertificate()));
    assertEquals(1, used(domain, 1));
    TLS_SENTINEL.node(0).kill();
    Await.until("decisions of the new primary", () -> takes(domain));
    store.close();
    open(address, Optional.empty());
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

  /** Refused until the sentinel has heard that the replica is well, which a busy machine delays. */
  private static void sentinelFailover() {
    Await.until(
        "a failover",
        () -> {
          on(
              SENTINEL.node(2).address(),
              redis ->
                  redis.dispatch(
                      CommandType.SENTINEL,
                      new StatusOutput<>(StringCodec.UTF8),
                      new CommandArgs<>(StringCodec.UTF8).add("FAILOVER").add("plinth-primary")));
          return true;
        });
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
}
