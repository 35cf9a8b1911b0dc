package dev.plinth.ratelimit.policy;

import dev.plinth.ratelimit.policy.Rule.Rate;
import java.time.ZoneId;
import java.util.Optional;
import java.util.OptionalLong;

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

  default LimitKind kind() {
    return LimitKind.of(this);
  }

  /** What can be had at once at the most. */
  long size();

  /** False if deciding could need a number that is too large to be exact. */
  boolean isExact();

  /** Its numbers as rows have them, separated by spaces; {@link LimitKind#parse} reads them. */
  String text();

  /** What is refilled in an interval, rounded up; at most 2^62. */
  long refilled(long micros);

  /**
   * The most that is admitted in any interval, if nothing fails and nothing is leased; at most
   * 2^62.
   *
   * @param maxCost of one check; a paced budget admits any cost when it is free
   */
  long maxAdmitted(long micros, long maxCost);

  /** The part of it that one node has while each decides locally. */
  Limit of(Share share);

  /** The rate that its numbers tell; empty if it has no fixed period. */
  default Optional<Rate> rate() {
    return Optional.empty();
  }

  /** Microseconds in which the whole limit is refilled; empty if that is not fixed. */
  default OptionalLong refillTime() {
    return OptionalLong.empty();
  }

  /** Whether what is available of this one means the same under the other. */
  default boolean isSameAlgorithm(Limit other) {
    return kind() == other.kind();
  }

  /** One unit costs {@code num / den} microseconds of refill, a reduced fraction. */
  sealed interface Refilled extends Limit {
    long num();

    long den();

    @Override
    default long refilled(long micros) {
      return CappedMath.ratio(micros, den(), num());
    }

    @Override
    default Optional<Rate> rate() {
      return Optional.of(Rate.of(den(), num()));
    }

    @Override
    default OptionalLong refillTime() {
      return OptionalLong.of((size() * num() + den() - 1) / den());
    }

    /** Whether reservations up to an hour ahead stay exact. */
    default boolean isReservable() {
      return CappedMath.isBelow(size(), num(), DEBT)
          && CappedMath.isBelow(HOUR, den(), DEBT - size() * num());
    }
  }

  /** So much in a period. */
  sealed interface Periodic extends Limit {
    long limit();

    long period();

    @Override
    default long size() {
      return limit();
    }

    @Override
    default String text() {
      return limit() + " " + period();
    }

    @Override
    default long refilled(long micros) {
      return CappedMath.ratio(micros, limit(), period());
    }

    /** That of every window that the interval touches: two if it is as long as one. */
    @Override
    default long maxAdmitted(long micros, long maxCost) {
      return CappedMath.product(limit(), CappedMath.windows(micros, period()));
    }

    @Override
    default Optional<Rate> rate() {
      return Optional.of(Rate.of(limit(), period()));
    }

    @Override
    default OptionalLong refillTime() {
      return OptionalLong.of(period());
    }
  }

  /** Counted in windows that follow each other; a debt ends with its window. */
  sealed interface Windowed extends Limit {
    /** From {@code start} on, up to but without {@code end}, in microseconds since 1970. */
    record Window(long start, long end) {}

    /** The one that holds a time. */
    Window windowAt(long micros);

    @Override
    default boolean isExact() {
      return size() <= MAX_IN_WINDOW;
    }
  }

  /** A token bucket, stored as the time at which it will be full (GCRA). */
  record Bucket(long burst, long num, long den) implements Refilled {
    @Override
    public long size() {
      return burst;
    }

    @Override
    public boolean isExact() {
      return burst <= MAX_COST && isReservable();
    }

    @Override
    public String text() {
      return burst + " " + num + " " + den;
    }

    @Override
    public long maxAdmitted(long micros, long maxCost) {
      return CappedMath.sum(burst, refilled(micros));
    }

    @Override
    public Limit of(Share share) {
      long[] slower = share.slower(num, den);
      return new Bucket(share.of(burst), slower[0], slower[1]);
    }
  }

  /** Evenly spaced: room only when the last one's time, its cost included, has passed. */
  record Paced(long num, long den) implements Refilled {
    @Override
    public long size() {
      return 1;
    }

    /** Larger costs than 1 are admitted too; what they take stops at DEBT. */
    @Override
    public boolean isExact() {
      return isReservable();
    }

    @Override
    public String text() {
      return num + " " + den;
    }

    @Override
    public long maxAdmitted(long micros, long maxCost) {
      return CappedMath.sum(refilled(micros), maxCost);
    }

    @Override
    public Limit of(Share share) {
      long[] slower = share.slower(num, den);
      return new Paced(slower[0], slower[1]);
    }
  }

  /** So much in each period, counted from 1970. */
  record FixedWindow(long limit, long period) implements Periodic, Windowed {
    @Override
    public Window windowAt(long micros) {
      long start = Math.floorDiv(micros, period) * period;
      return new Window(start, start + period);
    }

    @Override
    public Limit of(Share share) {
      return new FixedWindow(share.of(limit), period);
    }
  }

  /** So much in each hour, day, week, month or year of a zone. */
  record CalendarWindow(long limit, CalendarUnit unit, ZoneId zone) implements Windowed {
    @Override
    public long size() {
      return limit;
    }

    @Override
    public String text() {
      return limit + " " + unit + " " + zone;
    }

    @Override
    public Window windowAt(long micros) {
      return unit.windowAt(micros, zone);
    }

    @Override
    public long refilled(long micros) {
      return CappedMath.ratio(micros, limit, unit.minLength());
    }

    @Override
    public long maxAdmitted(long micros, long maxCost) {
      return CappedMath.product(limit, CappedMath.windows(micros, unit.minLength()));
    }

    @Override
    public Limit of(Share share) {
      return new CalendarWindow(share.of(limit), unit, zone);
    }

    @Override
    public boolean isSameAlgorithm(Limit other) {
      return other instanceof CalendarWindow that && unit == that.unit && zone.equals(that.zone);
    }
  }

  /** So much in a period, estimated: this window, and of the last the share that still counts. */
  record SlidingCounter(long limit, long period) implements Periodic {
    @Override
    public boolean isExact() {
      return limit <= MAX_COST && CappedMath.isBelow(limit, period, EXACT);
    }

    @Override
    public Limit of(Share share) {
      return new SlidingCounter(share.of(limit), period);
    }
  }

  /** So much in any period, exactly; remembers every charge, so it is for small limits. */
  record SlidingLog(long limit, long period) implements Periodic {
    /** A take reads and writes every charge that counts: 1.2 ms of Redis at 900 of them. */
    public static final long MAX = 100;

    @Override
    public boolean isExact() {
      return limit <= MAX;
    }

    /** The limit for each period, or part of one. */
    @Override
    public long maxAdmitted(long micros, long maxCost) {
      return CappedMath.product(limit, CappedMath.windows(micros, period) - 1);
    }

    @Override
    public Limit of(Share share) {
      return new SlidingLog(share.of(limit), period);
    }
  }

  /** Counts no time: nothing of it is refilled. */
  sealed interface Timeless extends Limit {
    @Override
    default long refilled(long micros) {
      return 0;
    }

    @Override
    default long maxAdmitted(long micros, long maxCost) {
      return size();
    }
  }

  /** So many at the same time; taken by slots, not by checks. */
  record Concurrency(long limit) implements Timeless {
    public static final long MAX = 10_000;

    @Override
    public long size() {
      return limit;
    }

    @Override
    public boolean isExact() {
      return limit <= MAX;
    }

    @Override
    public String text() {
      return Long.toString(limit);
    }

    @Override
    public Limit of(Share share) {
      return new Concurrency(share.of(limit));
    }
  }

  /** None: exempts what it matches. It has no budget. */
  record Unlimited() implements Timeless {
    @Override
    public long size() {
      return MAX_IN_WINDOW;
    }

    @Override
    public boolean isExact() {
      return true;
    }

    @Override
    public String text() {
      return "";
    }

    @Override
    public Limit of(Share share) {
      return this;
    }
  }
}
