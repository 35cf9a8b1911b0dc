package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Outcome;

/**
 * How much of a limit is used. Immutable; times are microseconds, and {@code now} is never before
 * the time at which the state was made: where the clock was stepped back, {@link #afterClockStep}
 * comes first.
 */
sealed interface LimitState permits GcraState, WindowState, SlidingCounterState, SlidingLogState {
  Limit limit();

  /** The same state for a clock that stood at {@code last} and now stands before that. */
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

  /** Appends its numbers. */
  void appendTo(StringBuilder text);

  /** The state of the same limit that {@link #appendTo} wrote. */
  LimitState read(RowTextReader words);

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

  /** How much of an amount can be charged until as much is owed as the limit's size. */
  default long debtRoom(long amount, long now) {
    return available(now) + limit().size();
  }

  /**
   * The state under another limit of the same algorithm.
   *
   * @param available of the other one
   */
  default LimitState converted(Limit to, long available, long now) {
    return fresh(to, now).charge(to.size() - available, now);
  }

  /** Of which all is available. */
  static LimitState fresh(Limit limit, long now) {
    if (limit instanceof Limit.Refilled refilled) {
      return new GcraState(refilled, now, 0);
    } else if (limit instanceof Limit.Windowed windowed) {
      return WindowState.used(windowed, now, 0);
    } else if (limit instanceof Limit.SlidingCounter counter) {
      return SlidingCounterState.empty(counter, now);
    } else if (limit instanceof Limit.SlidingLog log) {
      return new SlidingLogState(log, new long[0]);
    }
    throw new IllegalArgumentException(limit + " has no state (expected: not concurrency)");
  }
}
