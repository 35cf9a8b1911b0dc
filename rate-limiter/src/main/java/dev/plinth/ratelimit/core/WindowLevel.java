package dev.plinth.ratelimit.core;

/** Used in the window from {@code start} to before {@code end}, of a period or of a calendar. */
record WindowLevel(Limit limit, long start, long end, long used) implements Level {
  static WindowLevel empty(Limit limit, long now) {
    return used(limit, now, 0);
  }

  private static WindowLevel used(Limit limit, long now, long used) {
    if (limit instanceof Limit.FixedWindow fixed) {
      long start = Math.floorDiv(now, fixed.period()) * fixed.period();
      return new WindowLevel(limit, start, start + fixed.period(), used);
    }
    Limit.CalendarWindow.Window window = ((Limit.CalendarWindow) limit).windowAt(now);
    return new WindowLevel(limit, window.start(), window.end(), used);
  }

  private long usedAt(long now) {
    return now < end ? used : 0;
  }

  /** What was used counts in the window of now: it was used a moment ago. */
  @Override
  public Level back(long last, long now) {
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
  public Level charge(long amount, long now) {
    if (amount == 0) {
      return this;
    }
    long sum = Math.min(usedAt(now) + amount, Limit.DEBT);
    return now < end ? new WindowLevel(limit, start, end, sum) : used(limit, now, sum);
  }

  @Override
  public Level refund(long amount, long charged, long at, long now) {
    return now < end && at >= start
        ? new WindowLevel(limit, start, end, Math.max(0, used - amount))
        : this;
  }
}
