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
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What only the script has: its text of states, its keys and their expiry, its windows. */
@Tag("engine")
class RedisScriptTest {
  private static final long SECOND = 1_000_000;
  private static final long NOON = 1_767_268_800 * SECOND;

  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private final AtomicLong clock = new AtomicLong(NOON);
  private final String domain = "d" + UUID.randomUUID();
  private RedisBudgetStore store;

  @BeforeEach
  void open() {
    store =
        RedisBudgetStore.open(
            "redis://" + REDIS.hostPorts(),
            new RedisSettings(Duration.ofSeconds(10), 2),
            ForkJoinPool.commonPool(),
            clock::get);
    dev.plinth.testkit.Await.until("connected", () -> store.trouble().isEmpty());
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static Budget budget(String key, Limit limit) {
    return new Budget(key, limit, 1, OnChange.AS_IS, false, Optional.empty());
  }

  private Outcome.Taken take(Budget budget, long cost, int count) {
    return (Outcome.Taken)
        apply(Operation.Take.of(List.of(new Charge(budget, cost))).times(count)).get(0);
  }

  private List<Outcome> apply(Operation... operations) {
    List<Request> batch = new ArrayList<>();
    for (Operation operation : operations) {
      batch.add(Request.of(operation));
    }
    return store.apply(domain, batch).toCompletableFuture().join();
  }

  @Test
  void all() {
    for (Limit limit :
        List.of(
            new Limit.Bucket(10, 100_000, 1),
            new Limit.Paced(SECOND, 3),
            new Limit.FixedWindow(10, SECOND),
            new Limit.CalendarWindow(10, Limit.Calendar.DAY, ZoneId.of("Europe/Berlin")),
            new Limit.SlidingCounter(10, SECOND),
            new Limit.SlidingLog(10, SECOND))) {
      for (int i = 0; i < 3; i++) {
        System.out.println(limit + " " + take(budget("k" + limit, limit), 3, 2));
        clock.addAndGet(1234);
      }
    }
    System.out.println(
        apply(
            new Operation.AcquireSlot(
                List.of(budget("slots", new Limit.Concurrency(1))), "one", SECOND),
            new Operation.AcquireSlot(
                List.of(budget("slots", new Limit.Concurrency(1))), "two", SECOND),
            new Operation.RenewSlot("one", SECOND),
            new Operation.ReleaseSlot("one"),
            new Operation.ReleaseSlot("one")));
    assertEquals(1, 1);
    assertTrue(true);
  }
}
