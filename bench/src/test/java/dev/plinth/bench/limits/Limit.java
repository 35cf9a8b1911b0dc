package dev.plinth.bench.limits;

import java.io.Serializable;
import java.time.Duration;

/**
 * So many in a period, in a steady stream, with as many at once: the shape that every contestant
 * has, as Redisson knows no other.
 */
record Limit(long burst, Duration period) implements Serializable {
  /** Never reached: all calls pass, and what a decision costs is all that shows. */
  static final Limit WIDE = new Limit(10_000_000, Duration.ofMillis(100));

  /** Reached at once: nearly all calls are denied, and what is admitted is held to the bound. */
  static final Limit TIGHT = new Limit(100, Duration.ofMillis(100));

  /** The most that may be admitted of one key in so many seconds from its first use. */
  double bound(double seconds) {
    return burst + burst * seconds * 1e9 / period.toNanos();
  }
}
