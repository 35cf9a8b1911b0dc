package dev.plinth.ratelimit.core;

import java.time.ZoneId;

/**
 * How a budget is counted. All numbers are whole, times in microseconds, and every product that
 * deciding needs stays below 2^53, so that a script that computes in doubles computes exactly.
 * Whoever makes one checks that with {@link #isExact}.
 */
public sealed interface Limit {
  /** The largest number that doubles count up to without a gap. */
  long EXACT = 1L << 53;

  /** What can be had at once at the most. */
  long size();

  /** False if deciding could need a number that is too large to be exact. */
  boolean isExact();

  /**
   * A token bucket, kept as the time at which it will be full (GCRA). One unit costs {@code num /
   * den} microseconds of refill, a reduced fraction, so that odd rates lose nothing to rounding.
   */
  record Bucket(long burst, long num, long den) implements Limit {
    @Override
    public long size() {
      return burst;
    }

    @Override
    public boolean isExact() {
      // Debt of a reservation, up to an hour, comes on top of the burst.
      return below(burst, num, den) && below(3_600_000_000L, den, num);
    }
  }

  /** Evenly spaced: room only when the last one's time, its cost included, has passed. */
  record Paced(long num, long den) implements Limit {
    @Override
    public long size() {
      return 1;
    }

    @Override
    public boolean isExact() {
      return below(Charge.MOST, num, den) && below(3_600_000_000L, den, num);
    }
  }

  /** So much in each period, counted from 1970. */
  record FixedWindow(long limit, long period) implements Limit {
    @Override
    public long size() {
      return limit;
    }

    @Override
    public boolean isExact() {
      return true;
    }
  }

  /** So much in each hour, day, week, month or year of a zone. */
  record CalendarWindow(long limit, Calendar unit, ZoneId zone) implements Limit {
    @Override
    public long size() {
      return limit;
    }

    @Override
    public boolean isExact() {
      return true;
    }
  }

  /** So much in a period, estimated: this window, and of the last the share that still counts. */
  record SlidingCounter(long limit, long period) implements Limit {
    @Override
    public long size() {
      return limit;
    }

    @Override
    public boolean isExact() {
      return below(limit, period, 0);
    }
  }

  /** So much in any period, exactly; remembers every charge, so it is for small limits. */
  record SlidingLog(long limit, long period) implements Limit {
    public static final long MOST = 1000;

    @Override
    public long size() {
      return limit;
    }

    @Override
    public boolean isExact() {
      return limit <= MOST;
    }
  }

  /** So many at the same time; taken by slots, not by checks. */
  record Concurrency(long limit) implements Limit {
    public static final long MOST = 10_000;

    @Override
    public long size() {
      return limit;
    }

    @Override
    public boolean isExact() {
      return limit <= MOST;
    }
  }

  /** The windows of a calendar. */
  enum Calendar {
    HOUR,
    DAY,
    WEEK,
    MONTH,
    YEAR
  }

  private static boolean below(long a, long b, long more) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0 && a * b < EXACT - more;
  }
}
