package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What only this store has: keys and their expiry, text of states, windows of calendars. */
@Tag("engine")
class RedisScriptTest {
  private static final long SECOND = 1_000_000;
  private static final long DAY = 86_400 * SECOND;
  private static final long NOON = 1_767_268_800 * SECOND;
  private static final long SLACK_MILLIS = 600_000; // with a time of the test's own

  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private final AtomicLong clock = new AtomicLong(NOON);
  private final String domain = "d" + UUID.randomUUID();
  private RedisClient client;
  private RedisCommands<String, String> redis;
  private RedisBudgetStore store;

  @BeforeEach
  void open() {
    client = RedisClient.create("redis://" + REDIS.hostPorts());
    redis = client.connect().sync();
    store =
        RedisBudgetStore.open(
            "redis://" + REDIS.hostPorts(),
            Duration.ofSeconds(20),
            new RedisSettings(2),
            Runnable::run,
            clock::get);
    Await.until("connected", () -> store.unavailableReason().isEmpty());
  }

  @AfterEach
  void close() {
    store.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private static Budget budget(String key, Limit limit) {
    return new Budget(
        key, limit, 7, OnChange.AS_IS, false, Optional.of(new Budget.Lending(8, SECOND)));
  }

  private static Operation.Take take(Limit limit, long cost) {
    return Operation.Take.of(List.of(new Charge(budget("key", limit), cost)));
  }

  private List<Outcome> apply(Operation... operations) {
    List<BudgetRequest> batch = new ArrayList<>();
    for (Operation operation : operations) {
      batch.add(BudgetRequest.of(operation));
    }
    return store.apply(domain, batch).toCompletableFuture().join();
  }

  private String key(String rest) {
    return "plinth:{" + domain + "}:" + rest;
  }

  private void assertText(Limit limit, String kindAndRest) {
    apply(take(limit, 3));
    String[] kind = kindAndRest.split(" ", 2);
    assertEquals(
        "v1 " + kind[0] + " 7 " + NOON + " 1767268800 0 0 " + kind[1],
        redis.get(key("b:key")),
        limit.toString());
    redis.del(key("b:key"));
  }

  @Test
  void states_areWrittenAsTheEngineInJavaWritesThem_inFullDigits() {
    assertText(new Limit.Bucket(100, 9_999, 7), "b 100 9999 7 1767268800004285 2");
    assertText(new Limit.Paced(SECOND, 3), "p 1000000 3 1767268801000000 0");
    assertText(new Limit.FixedWindow(100, 7), "f 100 7 252466971428571 3");
    assertText(
        new Limit.CalendarWindow(100, CalendarUnit.DAY, ZoneId.of("Europe/Berlin")),
        "c 100 DAY Europe/Berlin 1767222000000000 1767308400000000 3");
    assertText(new Limit.SlidingCounter(100, 7), "s 100 7 252466971428571 3 0");
    assertText(new Limit.SlidingLog(100, 7), "l 100 7 1767268800000000 3");
  }

  @Test
  void everyKey_hasAnExpiry_butTheTokens() {
    Operation.Take ticketed =
        new Operation.Take(
            take(new Limit.Bucket(9, SECOND, 1), 5).charges(),
            1,
            false,
            0,
            0,
            Optional.of(new Operation.Ticket("ticket", 10 * SECOND)));
    Budget places = budget("places", new Limit.Concurrency(3));
    BudgetRequest once =
        new BudgetRequest(
            new Operation.AcquireSlot(List.of(places), "slot", 10 * SECOND),
            Optional.of(new BudgetRequest.IdempotencyKey("once", "same")));
    store.apply(domain, List.of(BudgetRequest.of(ticketed), once)).toCompletableFuture().join();

    assertLasts("b:key", 5_000);
    assertLasts("t:ticket", 10_000);
    assertLasts("s:slot", 10_000);
    assertLasts("z:places", 10_000);
    assertLasts("r:once", 600_000);
    assertEquals(-1, redis.pttl(key("token")), "tokens must rise for ever");
    assertEquals(6, redis.keys(key("*").replace("[", "\\[")).size());
  }

  /** As long as it means anything; with room for a slow test in between. */
  private void assertLasts(String rest, long millis) {
    long left = redis.pttl(key(rest));
    long most = millis + SLACK_MILLIS + 1;
    assertTrue(left > most - 60_000 && left <= most, rest + " lasts " + left + " of " + most);
  }

  @Test
  void keys_liveNoLongerThanTheyMeanAnything_butWhatIsLentForTwoMinutes() {
    Limit bucket = new Limit.Bucket(9, SECOND, 1);
    Operation.Ticket ticket = new Operation.Ticket("ticket", 10 * SECOND);
    Operation.Take reserve =
        new Operation.Take(take(bucket, 5).charges(), 1, false, 0, 0, Optional.of(ticket));
    Operation.Take lease =
        new Operation.Take(
            List.of(new Charge(budget("lent", bucket), 0)), 1, false, 0, 2, Optional.empty());
    Budget places = budget("places", new Limit.Concurrency(3));
    Budget reset = budget("reset", new Limit.FixedWindow(9, DAY));
    try (RedisBudgetStore own =
        RedisBudgetStore.open(
            "redis://" + REDIS.hostPorts(),
            Duration.ofSeconds(20),
            new RedisSettings(1),
            Runnable::run)) {
      Await.until("connected", () -> own.unavailableReason().isEmpty());
      own.apply(
              domain,
              List.of(
                  BudgetRequest.of(reserve),
                  BudgetRequest.of(lease),
                  BudgetRequest.of(new Operation.AcquireSlot(List.of(places), "slot", 10 * SECOND)),
                  BudgetRequest.of(Operation.Take.of(List.of(new Charge(reset, 1)))),
                  BudgetRequest.of(new Operation.Reset(List.of(reset)))))
          .toCompletableFuture()
          .join();
    }
    assertLastsNoLonger("b:key", 5_000);
    assertLastsNoLonger("t:ticket", 10_000);
    assertLastsNoLonger("s:slot", 10_000);
    assertLastsNoLonger("z:places", 10_000);
    assertLastsNoLonger("b:reset", 0);
    assertLastsNoLonger("x:reset", 2 * 3_600_000);
    assertLastsNoLonger("b:lent", 120_000);
    assertTrue(redis.pttl(key("b:lent")) > 10_000, "what is lent is known for longer");
  }

  private void assertLastsNoLonger(String rest, long millis) {
    long left = redis.pttl(key(rest));
    assertTrue(left != -1 && left <= millis + 1, rest + " lasts " + left + " of " + millis);
  }

  @Test
  void calendars_findTheWindow_howeverFarTheClockJumps() {
    Limit daily = new Limit.CalendarWindow(5, CalendarUnit.DAY, ZoneId.of("Asia/Kolkata"));
    for (long jump : new long[] {0, DAY, 400 * DAY, -800 * DAY, 3 * DAY, 1}) {
      clock.addAndGet(jump);
      Outcome.Taken taken = (Outcome.Taken) apply(take(daily, 1)).get(0);
      assertEquals(1, taken.admitted());
      long reset = taken.standings().get(0).reset();
      assertTrue(reset > 0 && reset <= DAY, "reset " + reset + " after a jump of " + jump);
    }
  }

  @Test
  void clockSteppedBack_deniesNoLongerThanTheBudget() {
    Limit bucket = new Limit.Bucket(10, SECOND, 1);
    apply(take(bucket, 10));
    clock.addAndGet(-DAY);
    Outcome.Taken denied = (Outcome.Taken) apply(take(bucket, 1)).get(0);
    assertEquals(0, denied.admitted());
    assertEquals(SECOND, denied.retry());
    clock.addAndGet(SECOND);
    assertEquals(1, ((Outcome.Taken) apply(take(bucket, 1)).get(0)).admitted());
  }

  @Test
  void largeBatch_isOneRun() {
    int many = 9_000; // more keys than Lua's stack takes in one call
    List<BudgetRequest> batch = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      Budget budget = budget("k" + i, new Limit.FixedWindow(5, DAY));
      batch.add(BudgetRequest.of(Operation.Take.of(List.of(new Charge(budget, 2))).times(4)));
    }
    List<Outcome> outcomes = store.apply(domain, batch).toCompletableFuture().join();
    assertEquals(many, outcomes.size());
    outcomes.forEach(outcome -> assertEquals(2, ((Outcome.Taken) outcome).admitted()));
    assertEquals(outcomes.get(0), outcomes.get(many - 1));
  }

  @Test
  void settle_afterTheRuleHasChanged_givesNothingBack() {
    Budget old = budget("key", new Limit.FixedWindow(10, DAY));
    Budget changed =
        new Budget("key", new Limit.FixedWindow(20, DAY), 8, OnChange.AS_IS, false, old.lending());
    apply(
        new Operation.Take(
            List.of(new Charge(old, 6)),
            1,
            false,
            0,
            0,
            Optional.of(new Operation.Ticket("ticket", DAY))),
        Operation.Take.of(List.of(new Charge(changed, 1))),
        new Operation.Settle("ticket", 2));
    Outcome.Taken look =
        (Outcome.Taken) apply(Operation.Take.of(List.of(new Charge(changed, 0)))).get(0);
    assertEquals(3, look.standings().get(0).available());
  }

  @Test
  void tokens_riseEvenWhenRedisHasLostThem() {
    Operation acquire =
        new Operation.AcquireSlot(
            List.of(budget("places", new Limit.Concurrency(3))), "slot", SECOND);
    long before = ((Outcome.SlotOutcome) apply(acquire).get(0)).token();
    redis.del(key("token"), key("s:slot"), key("z:places"));
    clock.addAndGet(1);
    long after = ((Outcome.SlotOutcome) apply(acquire).get(0)).token();
    assertTrue(after > before, after + " after " + before);
  }
}
