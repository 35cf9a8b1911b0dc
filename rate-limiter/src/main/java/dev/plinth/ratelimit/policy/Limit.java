package dev.plinth.ratelimit.policy;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/**
 * How a budget is counted. All numbers are whole, times in microseconds, and every product that
 * deciding needs stays below 2^53, so that a script that computes in doubles computes exactly.
 * Whoever makes one checks that with {@link #isExact}.
 */
public sealed interface Limit {
  /** The largest number that doubles count up to without a gap. */
  long EXACT = 1L << 53;

  /**
   * Where a debt stops growing, in microseconds times {@code den} of a bucket or units of a window;
   * so that a time that far ahead of today is exact, too.
   */
  long DEBT = 1L << 52;

  /**
   * In microseconds: the longest that a reservation may lie ahead, or a slot may be held without
   * renewal.
   */
  long HOUR = 3_600_000_000L;

  /** The most that a fixed or calendar window admits; the least is 0, which denies all. */
  long MAX_IN_WINDOW = 0xffff_ffffL;

  /** The most that one check may cost. */
  long MAX_COST = 1_000_000_000;

  /** What can be had at once at the most. */
  long size();

  /** False if deciding could need a number that is too large to be exact. */
  boolean isExact();

  /**
   * A token bucket, stored as the time at which it will be full (GCRA). One unit costs {@code num /
   * den} microseconds of refill, a reduced fraction, so that odd rates lose nothing to rounding.
   */
  record Bucket(long burst, long num, long den) implements Limit {
    @Override
    public long size() {
      return burst;
    }

    @Override
    public boolean isExact() {
      return burst <= MAX_COST && reserves(burst, num, den);
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
      // Larger costs are admitted too; what they take stops at DEBT.
      return reserves(1, num, den);
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
      return limit <= MAX_IN_WINDOW;
    }
  }

  /** So much in each hour, day, week, month or year of a zone. */
  record CalendarWindow(long limit, Calendar unit, ZoneId zone) implements Limit {
    /** From {@code start} on, up to but without {@code end}, in microseconds since 1970. */
    public record Window(long start, long end) {}

    @Override
    public long size() {
      return limit;
    }

    /** The one that holds a time. */
    public Window windowAt(long micros) {
      Instant now = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
      if (unit == Calendar.HOUR) {
        // By the offset of now: local hours are not all whole where clocks change by half of one.
        long offset = zone.getRules().getOffset(now).getTotalSeconds() * 1_000_000L;
        long start = Math.floorDiv(micros + offset, HOUR) * HOUR - offset;
        return new Window(start, start + HOUR);
      }
      LocalDate first = first(LocalDate.ofInstant(now, zone));
      long start = startOf(first);
      long end = startOf(next(first));
      while (end <= micros) { // where the clock falls back over midnight, a date is there twice
        first = next(first);
        start = end;
        end = startOf(next(first));
      }
      return new Window(start, end);
    }

    private LocalDate first(LocalDate day) {
      return switch (unit) {
        case WEEK -> day.minusDays(day.getDayOfWeek().getValue() - 1L);
        case MONTH -> day.withDayOfMonth(1);
        case YEAR -> day.with(TemporalAdjusters.firstDayOfYear());
        default -> day;
      };
    }

    private LocalDate next(LocalDate first) {
      return switch (unit) {
        case WEEK -> first.plusWeeks(1);
        case MONTH -> first.plusMonths(1);
        case YEAR -> first.plusYears(1);
        default -> first.plusDays(1);
      };
    }

    private long startOf(LocalDate day) {
      return day.atStartOfDay(zone).toEpochSecond() * 1_000_000L;
    }

    @Override
    public boolean isExact() {
      return limit <= MAX_IN_WINDOW;
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
      return limit <= MAX_COST && below(limit, period, EXACT);
    }
  }

  /** So much in any period, exactly; remembers every charge, so it is for small limits. */
  record SlidingLog(long limit, long period) implements Limit {
    /** A take reads and writes every charge that counts: 1.2 ms of Redis at 900 of them. */
    public static final long MAX = 100;

    @Override
    public long size() {
      return limit;
    }

    @Override
    public boolean isExact() {
      return limit <= MAX;
    }
  }

  /** So many at the same time; taken by slots, not by checks. */
  record Concurrency(long limit) implements Limit {
    public static final long MAX = 10_000;

    @Override
    public long size() {
      return limit;
    }

    @Override
    public boolean isExact() {
      return limit <= MAX;
    }
  }

  /** None: exempts what it matches. It has no budget. */
  record Unlimited() implements Limit {
    @Override
    public long size() {
      return MAX_IN_WINDOW;
    }

    @Override
    public boolean isExact() {
      return true;
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

  private static boolean reserves(long burst, long num, long den) {
    return below(burst, num, DEBT) && below(HOUR, den, DEBT - burst * num);
  }

  private static boolean below(long a, long b, long bound) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0 && a * b < bound;
  }
}
