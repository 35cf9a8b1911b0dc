package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Limit.Bucket;
import dev.plinth.ratelimit.core.Limit.CalendarWindow;
import dev.plinth.ratelimit.core.Limit.Concurrency;
import dev.plinth.ratelimit.core.Limit.FixedWindow;
import dev.plinth.ratelimit.core.Limit.Paced;
import dev.plinth.ratelimit.core.Limit.SlidingCounter;
import dev.plinth.ratelimit.core.Limit.SlidingLog;
import java.math.BigInteger;

/**
 * The most that may be admitted of one budget, whatever is asked, by whomever and when. Times are
 * in microseconds. What is above 2^62 is given as 2^62.
 *
 * <ul>
 *   <li>(a) a bucket: in any stretch of time its burst, and what is refilled in it;
 *   <li>(b) windows: the limit of every window that the stretch touches, two if it is as long as
 *       one;
 *   <li>(c) a sliding counter: the same, since no window holds more than the limit; a sliding log:
 *       the limit for each period, or part of one;
 *   <li>(d) leases are charged before they are spent, so over all time they add nothing; in one
 *       stretch what was out when it began comes on top, at most {@code Lending.most};
 *   <li>(e) to (i): what comes on top when something goes wrong, see the methods.
 * </ul>
 */
public final class Bounds {
  private static final long MOST = 1L << 62;
  private static final long HOUR = Limit.HOUR;

  private Bounds() {}

  /** (a) to (d): in any stretch of one period of the rule, with checks of cost 1. */
  public static long perPeriod(Rule rule) {
    long lent = BudgetSets.lending(rule).map(Budget.Lending::most).orElse(0L);
    return over(rule.limit(), lent, period(rule), 1);
  }

  /**
   * (a) to (d): in any stretch of time.
   *
   * @param lent the most that may be out in leases
   * @param largest cost of one check; a paced budget admits any cost when it is free
   */
  public static long over(Limit limit, long lent, long micros, long largest) {
    if (limit instanceof Bucket bucket) {
      return sum(bucket.burst(), refilled(limit, micros), lent);
    } else if (limit instanceof Paced) {
      return sum(refilled(limit, micros), largest, lent);
    } else if (limit instanceof FixedWindow window) {
      return sum(times(window.limit(), touched(micros, window.period())), lent);
    } else if (limit instanceof CalendarWindow window) {
      return sum(times(window.limit(), touched(micros, shortest(window.unit()))), lent);
    } else if (limit instanceof SlidingCounter counter) {
      return sum(times(counter.limit(), touched(micros, counter.period())), lent);
    } else if (limit instanceof SlidingLog log) {
      return sum(times(log.limit(), touched(micros, log.period()) - 1), lent);
    }
    return limit.size();
  }

  /**
   * (e) on top, once, when the store loses what was charged in its last moments.
   *
   * @param admitted in those moments
   */
  public static long lostState(Limit limit, long admitted) {
    return Math.min(limit.size(), admitted);
  }

  /** (f) on top, once, when the store's clock is stepped forward; nothing when it goes back. */
  public static long clockForward(Limit limit, long micros) {
    return Math.min(limit.size(), refilled(limit, micros));
  }

  /**
   * (g) on top of the new limit, once, when a node hears of a change late.
   *
   * @param micros how late
   * @param leased under the old limit and still out
   */
  public static long lateChange(Limit before, Limit after, long micros, long leased) {
    long faster = Math.max(0, refilled(before, micros) - refilled(after, micros));
    return sum(faster, Math.max(0, before.size() - after.size()), leased);
  }

  /**
   * (h) on top, when nodes decide alone for a while: what they admit, and what the store refills
   * meanwhile and admits when it is back.
   *
   * @param safe the limit of one node, see {@link SafeLimits}
   */
  public static long alone(Limit limit, Limit safe, int nodes, long micros) {
    long faster = Math.max(0, times(refilled(safe, micros), nodes) - refilled(limit, micros));
    long back = Math.min(limit.size(), refilled(limit, micros));
    return sum(faster, times(safe.size(), nodes), back);
  }

  /**
   * (i) that run at the same time.
   *
   * @param overdue holders that go on after their slot ran out; its token tells them apart
   */
  public static long running(Concurrency limit, long overdue) {
    return sum(limit.limit(), overdue);
  }

  /** What comes back in a stretch of time, rounded up. */
  static long refilled(Limit limit, long micros) {
    if (limit instanceof Bucket bucket) {
      return share(micros, bucket.den(), bucket.num());
    } else if (limit instanceof Paced paced) {
      return share(micros, paced.den(), paced.num());
    } else if (limit instanceof FixedWindow window) {
      return share(micros, window.limit(), window.period());
    } else if (limit instanceof CalendarWindow window) {
      return share(micros, window.limit(), shortest(window.unit()));
    } else if (limit instanceof SlidingCounter counter) {
      return share(micros, counter.limit(), counter.period());
    } else if (limit instanceof SlidingLog log) {
      return share(micros, log.limit(), log.period());
    }
    return 0;
  }

  /** Of a rule without one, a concurrency rule, 0. */
  static long period(Rule rule) {
    if (rule.limit() instanceof CalendarWindow window) {
      return shortest(window.unit());
    }
    return rule.rate().map(rate -> rate.period().toNanos() / 1000).orElse(0L);
  }

  /** Days have 23 hours where summer begins, Februaries 28 days. */
  private static long shortest(Limit.Calendar unit) {
    return switch (unit) {
      case HOUR -> HOUR;
      case DAY -> 23 * HOUR;
      case WEEK -> (7 * 24 - 1) * HOUR;
      case MONTH -> (28 * 24 - 1) * HOUR;
      case YEAR -> (365 * 24 - 1) * HOUR;
    };
  }

  private static long touched(long micros, long window) {
    return Math.floorDiv(micros + window - 1, window) + 1;
  }

  private static long share(long micros, long units, long per) {
    BigInteger exact = BigInteger.valueOf(micros).multiply(BigInteger.valueOf(units));
    return most(exact.add(BigInteger.valueOf(per - 1)).divide(BigInteger.valueOf(per)));
  }

  private static long times(long a, long b) {
    return most(BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)));
  }

  private static long sum(long... parts) {
    long sum = 0;
    for (long part : parts) {
      sum = Math.min(MOST, sum + part);
    }
    return sum;
  }

  private static long most(BigInteger exact) {
    return exact.bitLength() > 62 ? MOST : exact.longValue();
  }
}
