package dev.plinth.id.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A steady rate with a second's worth at once, kept as one moment: when all would be made up. */
final class Throttle {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private long madeUp;

  /** More than a second's worth passes too, if nothing is owed, and is then made up for. */
  void take(String namespace, long ids, long perSecond, long now) {
    if (perSecond == 0) {
      return;
    }
    long owed = Math.max(madeUp - now, 0);
    long cost = (long) ((double) ids * SECOND / perSecond);
    long wait = owed - Math.max(0, SECOND - cost);
    if (owed > 0 && wait > 0) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_RATE_EXCEEDED,
          "ids of namespace " + namespace,
          "more than " + perSecond + " ids a second in namespace " + namespace,
          Duration.ofNanos(wait));
    }
    madeUp = now + owed + cost;
  }
}
