package dev.plinth.id.core;

import java.time.Duration;

/** What a namespace is; checked, with everything filled in. */
public sealed interface NamespaceDefinition {
  /** Ids a second; 0 for no limit. */
  long maxPerSecond();

  /** How ids of different clients stand to each other. */
  enum Order {
    PER_CLIENT,
    STRICT
  }

  /** A counter. */
  record Dense(Order order, Numbers numbers, Ranges ranges, long maxPerSecond)
      implements NamespaceDefinition {}

  /** Which numbers a counter gives: every step-th, from the first that fits on. */
  record Numbers(long start, long max, int step, int remainder) {
    /** May lie above max, or below 0 where it would pass what a long holds: then there is none. */
    public long first() {
      return start + Math.floorMod(remainder - start, (long) step);
    }

    /** How many ids there are. */
    public long capacity() {
      // One less than there could be, where a long would not hold it.
      return Math.max((max - first()) / step, (max - first()) / step + 1);
    }

    long idAt(long position) {
      return first() + position * step;
    }

    /** That of the first id at or above this. */
    long positionFrom(long id) {
      long above = Math.max(0, id - first());
      return above / step + (above % step == 0 ? 0 : 1);
    }

    /** -1 if the number is none of this counter's ids. */
    long positionOf(long id) {
      boolean fits = id >= first() && id <= max && (id - first()) % step == 0;
      return fits ? (id - first()) / step : -1;
    }
  }

  /**
   * How ranges are given.
   *
   * @param maxOutstanding ids in ranges at one time; 0 for no limit
   */
  record Ranges(long min, long max, Duration ttl, long maxOutstanding) {}

  /**
   * Time, worker and sequence.
   *
   * @param bits of the whole id, 63 or 53
   */
  record Snowflake(
      int bits,
      SnowflakeBitLayout snowflakeBitLayout,
      Duration workerTtl,
      Duration maxAhead,
      long maxPerSecond)
      implements NamespaceDefinition {}
}
