package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.text.MessageFormat;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How a Redis is named, and what is expected of its configuration. */
@Tag("engine")
class RedisSetupTest {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private final String domain = "d" + UUID.randomUUID();
  private RedisClient client;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void connect() {
    client = RedisClient.create("redis://" + REDIS.hostPorts());
    redis = client.connect().sync();
  }

  @AfterEach
  void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private static RedisBudgetStore open(String uri) {
    return RedisBudgetStore.open(uri, Duration.ofSeconds(20), new RedisSettings(2), Runnable::run);
  }

  private int admitted(RedisBudgetStore store) {
    Budget budget =
        new Budget(
            "key", new Limit.FixedWindow(5, 1_000_000), 1, OnChange.AS_IS, false, Optional.empty());
    BudgetRequest one = BudgetRequest.of(Operation.Take.of(List.of(new Charge(budget, 1))));
    Outcome outcome = store.apply(domain, List.of(one)).toCompletableFuture().join().get(0);
    return ((Outcome.Taken) outcome).admitted();
  }

  @Test
  void database_isOfTheAddress_andAPasswordThereIsRefused_withoutTellingIt() {
    try (RedisBudgetStore store = open("redis://" + REDIS.hostPorts() + "/3")) {
      Await.until("connected", () -> store.unavailableReason().isEmpty());
      assertEquals(1, admitted(store));
      assertEquals(REDIS.hostPorts(), store.location());
      redis.select(3);
      assertEquals(1, redis.exists("plinth:{" + domain + "}:b:key"));
    }
    String address = "redis://:secret@" + REDIS.hostPorts();
    Exception refused = assertThrows(IllegalArgumentException.class, () -> open(address));
    assertFalse(refused.getMessage().contains("secret"), refused::getMessage);
  }

  @Test
  void eviction_isWarnedOf() {
    redis.configSet("maxmemory-policy", "volatile-lru");
    try (Warnings warnings = new Warnings();
        RedisBudgetStore store = open("redis://" + REDIS.hostPorts())) {
      Await.until("a warning", () -> warnings.tell("volatile-lru"));
      assertTrue(store.unavailableReason().isEmpty(), "a warning is no trouble");
    } finally {
      redis.configSet("maxmemory-policy", "noeviction");
    }
  }

  @Test
  void keysThatAreLost_areWarnedOfOnce() {
    redis.select(5); // of its own, so that no other store in this JVM has a say
    redis.flushdb();
    try (Warnings warnings = new Warnings();
        RedisBudgetStore store = open("redis://" + REDIS.hostPorts() + "/5")) {
      Await.until("it is marked", () -> redis.exists(KeyLossDetector.MARKER) == 1);
      assertEquals(1, admitted(store));
      assertFalse(warnings.tell("lost its keys"), "a Redis that is new lost nothing");
      redis.flushdb();
      Await.until("a warning", () -> warnings.tell("lost its keys"));
      assertEquals(1, redis.exists(KeyLossDetector.MARKER));
      assertEquals(1, warnings.lines.stream().filter(w -> w.contains("lost its keys")).count());
    }
  }

  /** What is logged of Redis while this is open. */
  private static final class Warnings extends Handler implements AutoCloseable {
    private final Logger log = Logger.getLogger("plinth.redis");
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    Warnings() {
      log.addHandler(this);
    }

    boolean tell(String text) {
      return lines.stream().anyMatch(line -> line.contains(text));
    }

    @Override
    public void publish(LogRecord record) {
      lines.add(MessageFormat.format(record.getMessage(), record.getParameters()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      log.removeHandler(this);
    }
  }
}
