package dev.plinth.id.core;

import java.util.concurrent.TimeUnit;

/** Ids a second of late: what was longer ago counts for less. */
final class RateEstimator {
  private static final double WINDOW = TimeUnit.SECONDS.toNanos(10);
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  private double rate;
  private long at;

  void count(long ids, long now) {
    rate = perSecond(now) + ids * SECOND / WINDOW;
    at = now;
  }

  double perSecond(long now) {
    return rate == 0 ? 0 : rate * Math.exp((at - now) / WINDOW);
  }

  /** What would be used in so many seconds, within bounds. */
  long worth(int seconds, long now, long least, long most) {
    return Math.min(most, Math.max(least, (long) (perSecond(now) * seconds)));
  }
}
