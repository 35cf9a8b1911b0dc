package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A real Redis that fails in all ways: nothing is charged twice, and all mends by itself. */
@Tag("engine")
class RedisFaultsTest {
  private static final long SECOND = 1_000_000;
  private static final Duration PATIENT = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(100);

  /** Counts, in effect: there is always room, and it all stays used. */
  private static final Budget COUNTED =
      budget("counted", new Limit.FixedWindow(1_000_000_000, 1L << 52));

  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private final String domain = "d" + UUID.randomUUID();
  private RedisClient admin;
  private RedisBudgetStore store;

  @BeforeEach
  void open() {
    admin = RedisClient.create("redis://" + REDIS.hostPorts());
    store = connected(REDIS.hostPorts(), PATIENT);
  }

  @AfterEach
  void close() {
    store.close();
    admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private static Budget budget(String key, Limit limit) {
    return new Budget(key, limit, 1, OnChange.AS_IS, false, Optional.empty());
  }

  private static RedisBudgetStore open(String address, Duration timeout) {
    return RedisBudgetStore.open(
        "redis://" + address, timeout, new RedisSettings(2), ForkJoinPool.commonPool());
  }

  private static RedisBudgetStore connected(String address, Duration timeout) {
    RedisBudgetStore store = open(address, timeout);
    Await.until("a connection", () -> store.unavailableReason().isEmpty());
    return store;
  }

  private Outcome.Taken take(RedisBudgetStore from, Budget budget, long cost) {
    BudgetRequest request = BudgetRequest.of(Operation.Take.of(List.of(new Charge(budget, cost))));
    List<Outcome> outcomes = from.apply(domain, List.of(request)).toCompletableFuture().join();
    return (Outcome.Taken) outcomes.get(0);
  }

  private StoreUnavailable failure(RedisBudgetStore from) {
    CompletionException failed =
        assertThrows(CompletionException.class, () -> take(from, COUNTED, 1));
    return (StoreUnavailable) failed.getCause();
  }

  private long used() {
    return COUNTED.limit().size() - take(store, COUNTED, 0).standings().get(0).available();
  }

  private void redis(Consumer<RedisCommands<String, String>> task) {
    try (StatefulRedisConnection<String, String> connection = admin.connect()) {
      task.accept(connection.sync());
    }
  }

  /** A request of unknown outcome may count once; none may count twice. */
  private void assertChargedOnce(TakeLoad load) {
    long used = used();
    long sure = load.admitted.sum();
    assertTrue(used >= sure, used + " charged (expected: " + sure + " or more)");
    long most = sure + load.unknown.sum();
    assertTrue(used <= most, used + " charged (expected: " + most + " or less)");
  }

  private static void awaitMore(TakeLoad load) {
    long before = load.answered();
    Await.until("more answers", () -> load.answered() > before + 100);
  }

  @Test
  void scriptFlushed_isSentAlong_andAppliedOnce() {
    take(store, COUNTED, 1);
    redis(RedisCommands::scriptFlush);
    take(store, COUNTED, 1);
    assertEquals(2, used());
  }

  @Test
  void scriptFlushed_overAndOver_underLoad_losesAndDoublesNothing() {
    try (TakeLoad load = TakeLoad.on(store, domain, COUNTED, 8)) {
      redis(
          commands -> {
            for (int i = 0; i < 20; i++) {
              awaitMore(load);
              commands.scriptFlush();
            }
          });
      load.stop();
      assertEquals(0, load.unknown.sum() + load.surelyNot.sum(), "failed");
      assertEquals(load.admitted.sum(), used());
    }
  }

  @Test
  void clientKilled_overAndOver_underLoad_doublesNothing() {
    try (TakeLoad load = TakeLoad.on(store, domain, COUNTED, 8)) {
      redis(
          commands -> {
            for (int i = 0; i < 10; i++) {
              awaitMore(load);
              commands.clientKill(KillArgs.Builder.skipme());
            }
          });
      awaitMore(load);
      load.stop();
      assertTrue(load.unknown.sum() > 0, "none was under way");
      assertChargedOnce(load);
    }
  }

  @Test
  void killedAndRestarted_underLoad_keepsWhatItHas_andDoublesNothing() {
    try (TakeLoad load = TakeLoad.on(store, domain, COUNTED, 8)) {
      for (int i = 0; i < 3; i++) {
        awaitMore(load);
        REDIS.kill();
        Await.until("trouble", () -> store.unavailableReason().isPresent());
        REDIS.restart();
        Await.until("no trouble", () -> store.unavailableReason().isEmpty());
      }
      awaitMore(load);
      load.stop();
      assertChargedOnce(load);
    }
  }

  @Test
  void pausedAndResumed_underLoad_failsInTime_andDoublesNothing() {
    try (RedisBudgetStore hasty = connected(REDIS.hostPorts(), SHORT)) {
      try (TakeLoad load = TakeLoad.on(hasty, domain, COUNTED, 4)) {
        awaitMore(load);
        REDIS.pause();
        Await.until("time-outs", () -> load.unknown.sum() > 8);
        Await.until("trouble", () -> hasty.unavailableReason().isPresent());
        REDIS.resume();
        Await.until("no trouble", () -> hasty.unavailableReason().isEmpty());
        awaitMore(load);
        load.stop();
        assertChargedOnce(load);
      }
    }
  }

  @Test
  void answersLost_areOfUnknownOutcome_andChargedOnce() {
    try (FaultProxy proxy = proxy();
        RedisBudgetStore far = connected(proxy.address(), SHORT)) {
      proxy.drop(FaultProxy.Direction.TO_CLIENT);
      assertTrue(failure(far).mayHaveApplied());
      Await.until("the charge", () -> used() == 1);
      proxy.heal();
      Await.until("an answer", () -> take(far, COUNTED, 0).admitted() == 1);
      assertEquals(1, used());
    }
  }

  @Test
  void peerThatVanished_isNoticed_andLeft() {
    try (FaultProxy proxy = proxy();
        RedisBudgetStore far = connected(proxy.address(), SHORT)) {
      proxy.halfOpen();
      assertTrue(failure(far).mayHaveApplied());
      Await.until("trouble", () -> far.unavailableReason().isPresent());
      Await.until("the connections left", () -> !failure(far).mayHaveApplied());
      proxy.heal();
      Await.until("an answer", () -> take(far, COUNTED, 1).admitted() == 1);
    }
  }

  @Test
  void networkCut_failsAtOnce_surelyNotApplied() {
    try (FaultProxy proxy = proxy();
        RedisBudgetStore far = connected(proxy.address(), Duration.ofMinutes(1))) {
      proxy.cut();
      Await.until("trouble", () -> far.unavailableReason().isPresent());
      assertFalse(failure(far).mayHaveApplied());
      proxy.heal();
      Await.until("no trouble", () -> far.unavailableReason().isEmpty());
      assertEquals(1, take(far, COUNTED, 1).admitted());
    }
  }

  private static FaultProxy proxy() {
    return FaultProxy.to(REDIS.address().getHostString(), REDIS.address().getPort());
  }

  @Test
  void opensWithoutRedis_andFindsItLater() {
    REDIS.kill();
    try (RedisBudgetStore early = open(REDIS.hostPorts(), PATIENT)) {
      assertFalse(failure(early).mayHaveApplied());
      assertTrue(early.unavailableReason().isPresent());
      REDIS.restart();
      Await.until("no trouble", () -> early.unavailableReason().isEmpty());
      assertEquals(1, take(early, COUNTED, 1).admitted());
    }
  }

  @Test
  void outOfMemory_isSurelyNotApplied_andTold() {
    take(store, COUNTED, 1);
    redis(commands -> commands.configSet("maxmemory", "1"));
    try {
      assertFalse(failure(store).mayHaveApplied());
      assertTrue(
          store.unavailableReason().orElse("").contains("OOM"),
          () -> "" + store.unavailableReason());
    } finally {
      redis(commands -> commands.configSet("maxmemory", "0"));
    }
    assertEquals(1, used());
    assertEquals(Optional.empty(), store.unavailableReason());
  }

  @Test
  void corruptState_isToldByItsKey_toItsRequestsAlone() {
    String key = "plinth:{" + domain + "}:b:" + COUNTED.key();
    redis(commands -> commands.set(key, "v1 f 1 nonsense"));
    BudgetRequest bad = BudgetRequest.of(Operation.Take.of(List.of(new Charge(COUNTED, 1))));
    Budget other = budget("other", COUNTED.limit());
    BudgetRequest good = BudgetRequest.of(Operation.Take.of(List.of(new Charge(other, 1))));
    List<Outcome> outcomes =
        store.apply(domain, List.of(good, bad, good, good, bad)).toCompletableFuture().join();
    Outcome.Undecided undecided = assertInstanceOf(Outcome.Undecided.class, outcomes.get(1));
    assertTrue(undecided.why().contains("CORRUPT " + key), undecided::why);
    assertFalse(undecided.mayHaveApplied());
    assertEquals(undecided, outcomes.get(4));
    for (int i : new int[] {0, 2, 3}) {
      assertEquals(1, assertInstanceOf(Outcome.Taken.class, outcomes.get(i)).admitted());
    }
    assertEquals(
        3, other.limit().size() - take(store, other, 0).standings().get(0).available(), "charged");
    assertEquals(Optional.empty(), store.unavailableReason());
    redis(commands -> assertEquals("v1 f 1 nonsense", commands.get(key)));
  }

  private List<Outcome> takeDamaged(RedisBudgetStore from, int many) {
    List<BudgetRequest> batch = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      Budget damaged = budget("damaged" + i, COUNTED.limit());
      redis(commands -> commands.set("plinth:{" + domain + "}:b:" + damaged.key(), "nonsense"));
      batch.add(BudgetRequest.of(Operation.Take.of(List.of(new Charge(damaged, 1)))));
    }
    return from.apply(domain, batch).toCompletableFuture().join();
  }

  private static long toldCorrupt(List<Outcome> outcomes) {
    return outcomes.stream()
        .map(outcome -> assertInstanceOf(Outcome.Undecided.class, outcome))
        .filter(undecided -> undecided.why().contains("CORRUPT"))
        .count();
  }

  @Test
  void partsOfABatch_haveItsDeadline() {
    try (FaultProxy proxy = proxy();
        RedisBudgetStore far = connected(proxy.address(), Duration.ofSeconds(1))) {
      take(far, COUNTED, 1);
      proxy.delay(Duration.ofMillis(150)); // four trips take longer than the batch has
      long corrupt = toldCorrupt(takeDamaged(far, 32));
      assertTrue(corrupt < 32, "each part had a deadline of its own");
    }
  }

  @Test
  void partsOfABatch_doNotWaitForEachOther() {
    try (FaultProxy proxy = proxy();
        RedisBudgetStore far = connected(proxy.address(), Duration.ofSeconds(8))) {
      take(far, COUNTED, 1);
      proxy.delay(Duration.ofMillis(150)); // 31 trips one after the other take longer, 5 do not
      assertEquals(16, toldCorrupt(takeDamaged(far, 16)));
    }
  }

  @Test
  void damagedState_besideASlot_doesNotKeepOthersFromADecision() {
    Budget damaged = budget("damaged", COUNTED.limit());
    redis(commands -> commands.set("plinth:{" + domain + "}:b:" + damaged.key(), "nonsense"));
    BudgetRequest bad = BudgetRequest.of(Operation.Take.of(List.of(new Charge(damaged, 1))));
    BudgetRequest good = BudgetRequest.of(Operation.Take.of(List.of(new Charge(COUNTED, 1))));
    BudgetRequest slot = BudgetRequest.of(new Operation.RenewSlot("none", SECOND));
    List<Outcome> outcomes =
        store.apply(domain, List.of(good, slot, bad, good)).toCompletableFuture().join();
    assertEquals(1, assertInstanceOf(Outcome.Taken.class, outcomes.get(0)).admitted());
    assertTrue(assertInstanceOf(Outcome.Undecided.class, outcomes.get(1)).mayHaveApplied());
    assertFalse(assertInstanceOf(Outcome.Undecided.class, outcomes.get(2)).mayHaveApplied());
    assertEquals(1, assertInstanceOf(Outcome.Taken.class, outcomes.get(3)).admitted());
    assertEquals(2, used());
  }

  @Test
  void L1_manyNodes_admitNoMoreThanBurstAndRate_alsoWhenConnectionsBreak() {
    Budget tight = budget("tight", new Limit.Bucket(50, SECOND / 200, 1));
    try (RedisBudgetStore second = connected(REDIS.hostPorts(), PATIENT);
        RedisBudgetStore third = connected(REDIS.hostPorts(), PATIENT)) {
      long begin = System.nanoTime();
      try (TakeLoad one = TakeLoad.on(store, domain, tight, 3);
          TakeLoad two = TakeLoad.on(second, domain, tight, 3);
          TakeLoad three = TakeLoad.on(third, domain, tight, 3)) {
        redis(
            commands -> {
              for (int i = 0; i < 5; i++) {
                awaitMore(one);
                commands.clientKill(KillArgs.Builder.skipme());
                commands.scriptFlush();
              }
            });
        awaitMore(one);
        one.stop();
        two.stop();
        three.stop();
        double seconds = (System.nanoTime() - begin) / 1e9;
        long admitted = one.admitted.sum() + two.admitted.sum() + three.admitted.sum();
        assertTrue(admitted >= 50, admitted + " admitted (expected: the burst at least)");
        long most = 50 + (long) Math.ceil(200 * seconds);
        assertTrue(admitted <= most, admitted + " admitted (expected: " + most + " or less)");
      }
    }
  }

  @Test
  void L1_dataLost_admitsOneBudgetMore_forEachTime() {
    Budget tight = budget("tight", new Limit.Bucket(40, SECOND / 100, 1));
    long begin = System.nanoTime();
    try (TakeLoad load = TakeLoad.on(store, domain, tight, 4)) {
      for (int i = 0; i < 3; i++) {
        Await.until("denials", () -> load.denied.sum() > 50);
        redis(RedisCommands::flushall);
        awaitMore(load);
      }
      load.stop();
      double seconds = (System.nanoTime() - begin) / 1e9;
      long most = (1 + 3) * 40 + (long) Math.ceil(100 * seconds);
      long admitted = load.admitted.sum();
      assertTrue(admitted <= most, admitted + " admitted (expected: " + most + " or less)");
    }
  }
}
