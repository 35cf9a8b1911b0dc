package dev.plinth.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for something that another thread or process does; a condition, never a fixed time. */
public final class Await {
  private static final Duration AT_MOST = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(10);

  private Await() {}

  /**
   * Fails with {@code what} if the condition does not come true; one that throws is not yet true.
   */
  public static void until(String what, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + AT_MOST.toNanos();
    Exception last = null;
    while (System.nanoTime() - deadline < 0) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (Exception e) {
        last = e;
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
    throw new AssertionError("not seen within " + AT_MOST.toSeconds() + " s: " + what, last);
  }
}
