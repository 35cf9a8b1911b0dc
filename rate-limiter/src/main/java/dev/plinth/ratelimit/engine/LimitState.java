package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Outcome;

/**
 * How much of a limit is used. Immutable; times are microseconds, and {@code now} is never before
 * the time at which the level was made: where the clock was stepped back, {@link #back} comes
 * first.
 */
sealed interface LimitState
    permits TokenBucketState, PacedState, WindowState, SlidingCounterState, SlidingLogState {
  Limit limit();

  /** The same level for a clock that stood at {@code last} and now stands before that. */
  LimitState afterClockStep(long last, long now);

  /** Units that can be had; negative in debt. */
  long available(long now);

  /** How long until a cost alone passes: 0 if it does now, or {@link Outcome#NEVER}. */
  long retry(long cost, long now);

  /** Until all of it is available. */
  long reset(long now);

  /** Charges unconditionally; debt stops at a bound that keeps all numbers exact. */
  LimitState charge(long amount, long now);

  /**
   * Refunds what was charged at a time, as far as it still counts and has not refilled since: no
   * more is available afterwards than if only the rest had been charged.
   *
   * @param amount up to {@code charged}
   */
  LimitState refund(long amount, long charged, long at, long now);

  /** What it takes in memory beyond a few numbers. */
  default int bytes() {
    return 0;
  }

  /** Whether what is not there yet can be had by waiting for it. */
  default boolean canReserve() {
    return false;
  }

  /** How many checks of a cost pass at once. */
  default long countAdmitted(long cost, long now) {
    return Math.max(0, available(now)) / cost;
  }

  static LimitState fresh(Limit limit, long now) {
    return of(limit, limit.size(), now);
  }

  /** Of which so much is available. */
  static LimitState of(Limit limit, long available, long now) {
    long used = limit.size() - available;
    if (limit instanceof Limit.Bucket bucket) {
      return TokenBucketState.full(bucket, now).charge(used, now);
    } else if (limit instanceof Limit.Paced paced) {
      return new PacedState(paced, now, 0);
    } else if (limit instanceof Limit.FixedWindow || limit instanceof Limit.CalendarWindow) {
      return WindowState.empty(limit, now).charge(used, now);
    } else if (limit instanceof Limit.SlidingCounter counter) {
      return SlidingCounterState.empty(counter, now).charge(used, now);
    } else if (limit instanceof Limit.SlidingLog log) {
      return SlidingLogState.empty(log).charge(used, now);
    }
    throw new IllegalArgumentException(limit + " has no level (expected: not concurrency)");
  }
}
