package dev.plinth.machine;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The wall clock and the monotonic clock of one server. Tests give one that they move.
 *
 * <p>Only what is part of the services' promises goes by it: expiry, retention, budgets, times in
 * answers. Deadlines of calls, retries and drains go by the system's clock, since they wait for
 * other processes.
 */
public interface TimeSource extends InstantSource {
  /** The monotonic clock in nanoseconds. Only differences of its values have a meaning. */
  LongSupplier nanos();

  /**
   * Registers what must happen when time jumps. The listener runs on the thread that moves the
   * clock, after each move, and returns once everything that is due has been done. The system's
   * clock does not jump: whoever waits for it sleeps.
   */
  void onAdvance(Runnable listener);

  static TimeSource system() {
    return new TimeSource() {
      @Override
      public Instant instant() {
        return Instant.now();
      }

      /** Without an object for each look: some look before every write. */
      @Override
      public long millis() {
        return System.currentTimeMillis();
      }

      @Override
      public LongSupplier nanos() {
        return System::nanoTime;
      }

      @Override
      public void onAdvance(Runnable listener) {}
    };
  }
}
