package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Outcome;

/** Used in the window {@code index}, and in the one before. */
record SlidingCounterState(Limit.SlidingCounter limit, long index, long used, long before)
    implements LimitState {
  static SlidingCounterState empty(Limit.SlidingCounter limit, long now) {
    return new SlidingCounterState(limit, Math.floorDiv(now, limit.period()), 0, 0);
  }

  private SlidingCounterState at(long now) {
    long current = Math.floorDiv(now, limit.period());
    if (current == index) {
      return this;
    }
    return new SlidingCounterState(limit, current, 0, current == index + 1 ? used : 0);
  }

  /** How long the window still lasts, which is also how much of the one before still counts. */
  private long left(long now) {
    return (index + 1) * limit.period() - now;
  }

  /** More than this in one window would not be exact. */
  private long max() {
    return (Limit.EXACT - 1) / limit.period();
  }

  @Override
  public LimitState afterClockStep(long last, long now) {
    SlidingCounterState then = at(last);
    return new SlidingCounterState(
        limit, Math.floorDiv(now, limit.period()), then.used, then.before);
  }

  @Override
  public long available(long now) {
    SlidingCounterState level = at(now);
    long period = limit.period();
    long free = limit.limit() * period - level.before * level.left(now);
    return Math.floorDiv(free, period) - level.used;
  }

  @Override
  public long retry(long cost, long now) {
    if (cost > limit.limit()) {
      return Outcome.NEVER;
    }
    return at(now).retryHere(limit.limit() - cost, now);
  }

  /** Until no more than {@code bound} counts: in this window, or in the next. */
  private long retryHere(long bound, long now) {
    long left = left(now);
    long spare = bound - used;
    if (spare >= 0) {
      return before == 0 ? 0 : Math.max(0, left - spare * limit.period() / before);
    }
    return left + limit.period() - bound * limit.period() / used;
  }

  @Override
  public long reset(long now) {
    SlidingCounterState level = at(now);
    if (level.used > 0) {
      return level.left(now) + limit.period();
    }
    return level.before > 0 ? level.left(now) : 0;
  }

  @Override
  public LimitState charge(long amount, long now) {
    SlidingCounterState level = at(now);
    return amount == 0
        ? this
        : new SlidingCounterState(
            limit, level.index, Math.min(level.used + amount, max()), level.before);
  }

  /** From the window that it was charged in: that is where it counts. */
  @Override
  public LimitState refund(long amount, long charged, long at, long now) {
    SlidingCounterState level = at(now);
    long window = Math.floorDiv(at, limit.period());
    if (window >= level.index) {
      return new SlidingCounterState(
          limit, level.index, Math.max(0, level.used - amount), level.before);
    } else if (window == level.index - 1) {
      return new SlidingCounterState(
          limit, level.index, level.used, Math.max(0, level.before - amount));
    }
    return this;
  }

  @Override
  public void appendTo(StringBuilder text) {
    RowTextReader.numbers(text, index, used, before);
  }

  @Override
  public LimitState read(RowTextReader words) {
    return new SlidingCounterState(limit, words.number(), words.number(), words.number());
  }
}
