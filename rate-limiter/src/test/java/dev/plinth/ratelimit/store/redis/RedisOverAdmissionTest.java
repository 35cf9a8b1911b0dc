package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node on a Redis that is slow or dies: what it admits stays within the stated bound. */
@Tag("engine")
class RedisOverAdmissionTest {
  private static final Limit LIMIT = new Limit.Bucket(20, 1_000_000 / 50, 1);
  private static final Duration BUDGET = Duration.ofMillis(20);

  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  @RegisterExtension static final SharedEngine SENTINEL = Engines.redisSentinel();

  private final String domain = "d" + UUID.randomUUID();

  private static RedisBudgetStore connected(String address) {
    RedisBudgetStore store =
        RedisBudgetStore.open(
            "redis://" + address, BUDGET, new RedisSettings(2), ForkJoinPool.commonPool());
    Await.until("a connection", () -> store.unavailableReason().isEmpty());
    return store;
  }

  @Test
  void slowRedis_localAndStoreTogether_admitOneBudget() {
    Random random = new Random(11);
    try (FaultProxy proxy =
            FaultProxy.to(REDIS.address().getHostString(), REDIS.address().getPort());
        RedisBudgetStore store = connected(proxy.address());
        CheckLoad load = CheckLoad.on(store, domain, LIMIT)) {
      for (int i = 0; i < 40; i++) {
        proxy.delay(Duration.ofMillis(i % 2 * (10 + random.nextInt(20))));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(40 + random.nextInt(120)));
      }
      proxy.heal();
      assertTrue(load.byTheStore.sum() > 0, "none was admitted by the store");
      assertTrue(load.local.sum() > 0, "none was admitted locally");
      load.assertWithinBound(0);
    }
  }

  @Test
  void dyingRedis_localAndStoreTogether_admitOneBudget() {
    try (RedisBudgetStore store = connected(REDIS.hostPorts());
        CheckLoad load = CheckLoad.on(store, domain, LIMIT)) {
      for (int i = 0; i < 4; i++) {
        long stored = load.byTheStore.sum();
        Await.until("the store admits", () -> load.byTheStore.sum() > stored + 5);
        long local = load.local.sum();
        REDIS.kill();
        Await.until("LOCAL admits", () -> load.local.sum() > local + 5);
        REDIS.restart();
      }
      load.assertWithinBound(0);
    }
  }

  @Test
  void failingOverRedis_localAndStoreTogether_admitOneBudget_andWhatTheReplicaLacked() {
    SENTINEL.restartEmpty();
    String sentinel = "-sentinel://" + SENTINEL.node(2).hostPort() + "#plinth-primary";
    try (RedisBudgetStore store =
            RedisBudgetStore.open(
                "redis" + sentinel, BUDGET, new RedisSettings(2), ForkJoinPool.commonPool());
        CheckLoad load = CheckLoad.on(store, domain, LIMIT)) {
      Await.until("the store admits", () -> load.byTheStore.sum() > 30);
      SENTINEL.node(0).kill();
      Await.until("LOCAL admits", () -> load.local.sum() > 5);
      long before = load.byTheStore.sum();
      Await.until("the new primary admits", () -> load.byTheStore.sum() > before + 30);
      load.assertWithinBound(LIMIT.size());
    }
  }
}
