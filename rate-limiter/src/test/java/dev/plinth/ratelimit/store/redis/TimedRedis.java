package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.SharedEngine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * A store on a shared Redis that looks empty, by domains of its own, at a time that a test sets.
 */
final class TimedRedis implements BudgetStore {
  private final String prefix = "d" + UUID.randomUUID() + "-";
  private final RedisBudgetStore store;
  volatile long now = 1;

  TimedRedis(SharedEngine redis) {
    store =
        RedisBudgetStore.open(
            "redis://" + redis.hostPorts(),
            Duration.ofSeconds(30),
            new RedisSettings(2),
            Runnable::run,
            () -> now);
    Await.until("a connection", () -> store.unavailableReason().isEmpty());
  }

  @Override
  public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
    return store.apply(prefix + domain, batch);
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public String kind() {
    return store.kind();
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public Optional<String> unavailableReason() {
    return store.unavailableReason();
  }

  @Override
  public void close() {
    store.close();
  }
}
