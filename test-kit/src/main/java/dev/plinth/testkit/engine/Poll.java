package dev.plinth.testkit.engine;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition by asking again until a deadline. */
final class Poll {
  static final Duration SHORT = Duration.ofSeconds(10);
  private static final Duration BETWEEN = Duration.ofMillis(20);

  private Poll() {}

  /** True as soon as the condition holds, false when it did not within the limit. */
  static boolean until(Duration limit, BooleanSupplier condition) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("interrupted while waiting");
      }
      LockSupport.parkNanos(BETWEEN.toNanos());
    }
    return true;
  }
}
