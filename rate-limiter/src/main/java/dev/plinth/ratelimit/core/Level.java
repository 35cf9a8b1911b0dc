package dev.plinth.ratelimit.core;

/**
 * How much of a limit is used. Immutable; times are microseconds, and {@code now} is never before
 * the time at which the level was made: where the clock was stepped back, {@link #back} comes
 * first.
 */
sealed interface Level permits BucketLevel, PacedLevel, WindowLevel, CounterLevel, LogLevel {
  Limit limit();

  /** The same level for a clock that stood at {@code last} and now stands before that. */
  Level back(long last, long now);

  /** Units that can be had; negative in debt. */
  long available(long now);

  /** How long until a cost alone passes: 0 if it does now, or {@link Outcome#NEVER}. */
  long retry(long cost, long now);

  /** Until all of it is available. */
  long reset(long now);

  /** Takes without asking; debt stops at a bound that keeps all numbers exact. */
  Level charge(long amount, long now);

  /**
   * Gives back of what was charged at a time, as far as it still counts and has not refilled since:
   * no more is available afterwards than if only the rest had been charged.
   *
   * @param amount up to {@code charged}
   */
  Level refund(long amount, long charged, long at, long now);

  /** What it takes in memory beyond a few numbers. */
  default int bytes() {
    return 0;
  }

  /** Whether what is not there yet can be had by waiting for it. */
  default boolean hasFuture() {
    return false;
  }

  /** How many checks of a cost pass at once. */
  default long fits(long cost, long now) {
    return Math.max(0, available(now)) / cost;
  }

  static Level fresh(Limit limit, long now) {
    return of(limit, limit.size(), now);
  }

  /** Of which so much is available. */
  static Level of(Limit limit, long available, long now) {
    long used = limit.size() - available;
    if (limit instanceof Limit.Bucket bucket) {
      return BucketLevel.full(bucket, now).charge(used, now);
    } else if (limit instanceof Limit.Paced paced) {
      return new PacedLevel(paced, now, 0);
    } else if (limit instanceof Limit.FixedWindow || limit instanceof Limit.CalendarWindow) {
      return WindowLevel.empty(limit, now).charge(used, now);
    } else if (limit instanceof Limit.SlidingCounter counter) {
      return CounterLevel.empty(counter, now).charge(used, now);
    } else if (limit instanceof Limit.SlidingLog log) {
      return LogLevel.empty(log).charge(used, now);
    }
    throw new IllegalArgumentException(limit + " has no level (expected: not concurrency)");
  }
}
