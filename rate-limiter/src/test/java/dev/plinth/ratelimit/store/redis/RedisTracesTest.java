package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.ratelimit.core.Budgets;
import dev.plinth.ratelimit.core.Outcome;
import dev.plinth.ratelimit.core.Request;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The script decides as the engine in Java does, whatever is asked in whatever order. */
@Tag("engine")
class RedisTracesTest {
  private static final int TRACES = Integer.getInteger("plinth.traces", 150);
  private static final int STEPS = 60;
  private static final long START = 1_767_268_800_000_000L;

  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  @Test
  void L9_anyTrace_isDecidedAsInJava() {
    AtomicLong clock = new AtomicLong();
    try (RedisBudgetStore store = open(clock)) {
      Await.until("connected", () -> store.trouble().isEmpty());
      for (long seed = 1; seed <= TRACES; seed++) {
        new Trace(seed, store, clock).run();
      }
    }
  }

  private static RedisBudgetStore open(AtomicLong clock) {
    return RedisBudgetStore.open(
        "redis://" + REDIS.hostPorts(),
        new RedisSettings(Duration.ofSeconds(30), 2),
        Runnable::run,
        clock::get);
  }

  /** One domain, from nothing on. */
  private static final class Trace {
    private final long seed;
    private final RedisBudgetStore store;
    private final AtomicLong clock;
    private final Budgets engine = new Budgets();
    private final List<String> story = new ArrayList<>();
    private final Map<Long, Long> tokens = new TreeMap<>();

    Trace(long seed, RedisBudgetStore store, AtomicLong clock) {
      this.seed = seed;
      this.store = store;
      this.clock = clock;
    }

    void run() {
      RandomRequests requests = new RandomRequests(seed);
      String domain = "trace-" + seed + "-" + System.nanoTime();
      clock.set(START);
      for (int i = 0; i < STEPS; i++) {
        clock.addAndGet(requests.step());
        List<Request> batch = requests.batch();
        story.add(clock + " " + batch);
        List<Outcome> expected = engine.apply(batch, clock.get());
        List<Outcome> actual = store.apply(domain, batch).toCompletableFuture().join();
        for (int j = 0; j < batch.size(); j++) {
          assertEquals(
              expected.get(j),
              numbered(expected.get(j), actual.get(j)),
              "seed "
                  + seed
                  + ", request "
                  + j
                  + " of the last line of\n"
                  + String.join("\n", story));
        }
      }
    }

    /** Tokens need only rise, and stay a slot's own: with those of the engine in their place. */
    private Outcome numbered(Outcome expected, Outcome actual) {
      if (expected instanceof Outcome.Slotted one
          && actual instanceof Outcome.Slotted other
          && one.acquired()
          && other.acquired()) {
        tokens.putIfAbsent(one.token(), other.token());
        assertEquals(
            List.copyOf(tokens.values()), tokens.values().stream().sorted().distinct().toList());
        assertEquals(tokens.get(one.token()), other.token(), "the same slot has the same token");
        return new Outcome.Slotted(true, one.token(), other.retry(), other.standings());
      }
      return actual;
    }
  }
}
