package dev.plinth.standalone;

import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.embedded.EmbeddedBudgetStore;
import dev.plinth.ratelimit.store.redis.RedisAddress;
import dev.plinth.ratelimit.store.redis.RedisBudgetStore;
import dev.plinth.server.settings.InvalidSettingException;
import dev.plinth.standalone.PlinthSettings.EngineSettings;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Where budgets are kept: {@code embedded}, or at a {@link RedisAddress}. */
final class BudgetStoreFactory {
  private static final String EMBEDDED = "embedded";
  private static final long HELLO_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration PAUSE = Duration.ofMillis(5);

  private BudgetStoreFactory() {}

  /** Refuses by the name of the setting. */
  static void check(String value) {
    if (!value.equals(EMBEDDED) && RedisAddress.parse(value).isEmpty()) {
      throw new InvalidSettingException("budgets", value, "embedded, " + RedisAddress.FORMS);
    }
  }

  /**
   * Embedded budgets are on the disk where all shards are, too; one of several nodes keeps them in
   * memory.
   *
   * @param executor runs what depends on Redis's answers
   */
  static BudgetStore open(PlinthSettings settings, Executor executor, Machine machine) {
    EngineSettings engines = settings.engines();
    if (!engines.budgets().equals(EMBEDDED)) {
      return greeted(
          RedisBudgetStore.open(
              engines.budgets(),
              settings.rateLimit().flush().storeBudget(),
              settings.redis(),
              executor,
              machine),
          machine);
    }
    return CoordinationTarget.parse(engines.coordination()).isEmbedded()
        ? EmbeddedBudgetStore.open(
            engines.dataDir().resolve("budgets"),
            settings.rateLimit().checkpointInterval(),
            settings.rateLimit().rows(),
            machine)
        : EmbeddedBudgetStore.open(settings.rateLimit().rows(), machine);
  }

  /** Given a moment to connect, so that a good start does not begin with a warning. */
  private static BudgetStore greeted(BudgetStore redis, Machine machine) {
    LongSupplier nanos = machine.nanos();
    long from = nanos.getAsLong();
    try {
      while (redis.unavailableReason().isPresent() && nanos.getAsLong() - from < HELLO_NANOS) {
        machine.pause(PAUSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return redis;
  }
}
