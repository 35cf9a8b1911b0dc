package dev.plinth.shards;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A steady rate with a second's worth at once, kept as one moment: when all would be made up. Of
 * one namespace, on its shard's loop.
 */
public final class Throttle {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final String what;
  private final String namespace;
  private long madeUp;

  /**
   * @param what passes, in the plural
   */
  public Throttle(String what, String namespace) {
    this.what = what;
    this.namespace = namespace;
  }

  /**
   * More than a second's worth passes too, if nothing is owed, and is then made up for.
   *
   * @throws Failure.Exhausted if it may not pass yet; then nothing counts
   */
  public void take(long count, long perSecond, long now) {
    long owed = Math.max(madeUp - now, 0);
    long cost = (long) ((double) count * SECOND / perSecond);
    long wait = owed - Math.max(0, SECOND - cost);
    if (owed > 0 && wait > 0) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_RATE_EXCEEDED,
          what + " of namespace " + namespace,
          "more than " + perSecond + " " + what + " a second in namespace " + namespace,
          Duration.ofNanos(wait));
    }
    madeUp = now + owed + cost;
  }
}
