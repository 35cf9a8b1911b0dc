package dev.plinth.lease.core;

import java.util.concurrent.TimeUnit;

/** A steady rate with a second's worth at once, kept as one moment: when all would be made up. */
final class Rate {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private long madeUp;

  /** 0 if it may pass now, which counts; else how long until it may. */
  long take(int perSecond, long now) {
    long from = Math.max(madeUp - now, 0);
    long cost = SECOND / perSecond;
    if (from + cost > SECOND) {
      return from + cost - SECOND;
    }
    madeUp = now + from + cost;
    return 0;
  }
}
