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
import io.lettuce.core.api.sync.RedisCommands;
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
    return RedisBudgetStore.open(uri, new RedisSettings(Duration.ofSeconds(20), 2), Runnable::run);
  }

  private int admitted(RedisBudgetStore store) {
    Budget budget =
        new Budget(
            "key", new Limit.FixedWindow(5, 1_000_000), 1, OnChange.AS_IS, false, Optional.empty());
    Request one = Request.of(Operation.Take.of(List.of(new Charge(budget, 1))));
    Outcome outcome = store.apply(domain, List.of(one)).toCompletableFuture().join().get(0);
    return ((Outcome.Taken) outcome).admitted();
  }

  @Test
  void passwordAndDatabase_areInTheUri_andThePasswordIsNotTold() {
    redis.configSet("requirepass", "secret");
    try (RedisBudgetStore store = open("redis://:secret@" + REDIS.hostPorts() + "/3");
        RedisBudgetStore stranger = open("redis://" + REDIS.hostPorts())) {
      Await.until("connected", () -> store.trouble().isEmpty());
      assertEquals(1, admitted(store));
      assertEquals(REDIS.hostPorts(), store.location());
      Await.until("refused", () -> stranger.trouble().orElse("").contains("NOAUTH"));
      redis.select(3);
      assertEquals(1, redis.exists("plinth:{" + domain + "}:b:key"));
    } finally {
      redis.configSet("requirepass", "");
    }
  }

  @Test
  void eviction_isWarnedOf() {
    Queue<String> warnings = new ConcurrentLinkedQueue<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            warnings.add(
                java.text.MessageFormat.format(record.getMessage(), record.getParameters()));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("plinth.redis");
    log.addHandler(handler);
    redis.configSet("maxmemory-policy", "volatile-lru");
    try (RedisBudgetStore store = open("redis://" + REDIS.hostPorts())) {
      Await.until("a warning", () -> warnings.stream().anyMatch(w -> w.contains("volatile-lru")));
      assertTrue(store.trouble().isEmpty(), "a warning is no trouble");
    } finally {
      redis.configSet("maxmemory-policy", "noeviction");
      log.removeHandler(handler);
    }
  }
}
