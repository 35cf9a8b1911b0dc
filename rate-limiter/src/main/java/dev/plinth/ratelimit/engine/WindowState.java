package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Outcome;

/** Used in the window from {@code start} to before {@code end}, of a period or of a calendar. */
record WindowState(Limit.Windowed limit, long start, long end, long used) implements LimitState {
  static WindowState used(Limit.Windowed limit, long now, long used) {
    Limit.Windowed.Window window = limit.windowAt(now);
    return new WindowState(limit, window.start(), window.end(), used);
  }

  private long usedAt(long now) {
    return now < end ? used : 0;
  }

  /** What was used counts in the window of now: it was used a moment ago. */
  @Override
  public LimitState afterClockStep(long last, long now) {
    return used(limit, now, usedAt(last));
  }

  @Override
  public long available(long now) {
    return limit.size() - usedAt(now);
  }

  @Override
  public long retry(long cost, long now) {
    if (cost > limit.size()) {
      return Outcome.NEVER;
    }
    return cost <= available(now) ? 0 : end - now;
  }

  @Override
  public long reset(long now) {
    return usedAt(now) == 0 ? 0 : end - now;
  }

  @Override
  public LimitState charge(long amount, long now) {
    if (amount == 0) {
      return this;
    }
    long sum = Math.min(usedAt(now) + amount, Limit.DEBT);
    return now < end ? new WindowState(limit, start, end, sum) : used(limit, now, sum);
  }

  @Override
  public LimitState refund(long amount, long charged, long at, long now) {
    return now < end && at >= start
        ? new WindowState(limit, start, end, Math.max(0, used - amount))
        : this;
  }

  /** Windows of a period are numbered from 1970; those of a calendar have a start and an end. */
  @Override
  public void appendTo(StringBuilder text) {
    if (limit instanceof Limit.FixedWindow fixed) {
      RowTextReader.numbers(text, start / fixed.period(), used);
    } else {
      RowTextReader.numbers(text, start, end, used);
    }
  }

  @Override
  public LimitState read(RowTextReader words) {
    if (limit instanceof Limit.FixedWindow fixed) {
      long from = words.number() * fixed.period();
      return new WindowState(limit, from, from + fixed.period(), words.number());
    }
    return new WindowState(limit, words.number(), words.number(), words.number());
  }
}
