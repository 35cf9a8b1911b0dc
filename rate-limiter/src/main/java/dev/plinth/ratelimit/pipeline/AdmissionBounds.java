package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Limit.Bucket;
import dev.plinth.ratelimit.policy.Limit.CalendarWindow;
import dev.plinth.ratelimit.policy.Limit.Concurrency;
import dev.plinth.ratelimit.policy.Limit.FixedWindow;
import dev.plinth.ratelimit.policy.Limit.Paced;
import dev.plinth.ratelimit.policy.Limit.SlidingCounter;
import dev.plinth.ratelimit.policy.Limit.SlidingLog;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.SafeLimits;
import dev.plinth.ratelimit.store.Budget;
import java.math.BigInteger;

/**
 * The most that may be admitted of one budget, whatever is requested, by whomever and when. Times
 * are in microseconds. What is above 2^62 is given as 2^62.
 *
 * <ul>
 *   <li>(a) a bucket: in any interval its burst, and what is refilled in it;
 *   <li>(b) windows: the limit of every window that the interval touches, two if it is as long as
 *       one;
 *   <li>(c) a sliding counter: the same, since no window holds more than the limit; a sliding log:
 *       the limit for each period, or part of one;
 *   <li>(d) leases are charged before they are spent, so over all time they add nothing; in one
 *       interval what was out when it began comes on top, at most {@code Lending.capped};
 *   <li>(e) to (i): what comes on top when something goes wrong, see the methods.
 * </ul>
 */
public final class AdmissionBounds {
  private static final long MAX = 1L << 62;
  private static final long HOUR = Limit.HOUR;

  private AdmissionBounds() {}

  /** (a) to (d): in any interval of one period of the rule, with checks of cost 1. */
  public static long perPeriod(Rule rule) {
    long leased = BudgetSetCache.lending(rule).map(Budget.Lending::max).orElse(0L);
    return over(rule.limit(), leased, period(rule), 1);
  }

  /**
   * (a) to (d): in any interval.
   *
   * @param leased the most that may be out in leases
   * @param largest cost of one check; a paced budget admits any cost when it is free
   */
  public static long over(Limit limit, long leased, long micros, long largest) {
    if (limit instanceof Bucket bucket) {
      return sum(bucket.burst(), refilled(limit, micros), leased);
    } else if (limit instanceof Paced) {
      return sum(refilled(limit, micros), largest, leased);
    } else if (limit instanceof FixedWindow window) {
      return sum(times(window.limit(), touched(micros, window.period())), leased);
    } else if (limit instanceof CalendarWindow window) {
      return sum(times(window.limit(), touched(micros, minLength(window.unit()))), leased);
    } else if (limit instanceof SlidingCounter counter) {
      return sum(times(counter.limit(), touched(micros, counter.period())), leased);
    } else if (limit instanceof SlidingLog log) {
      return sum(times(log.limit(), touched(micros, log.period()) - 1), leased);
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
   * (g) on top of the new limit, once, when a node learns of a change late.
   *
   * @param micros how late
   * @param leased under the old limit and still out
   */
  public static long lateChange(Limit before, Limit after, long micros, long leased) {
    long faster = Math.max(0, refilled(before, micros) - refilled(after, micros));
    return sum(faster, Math.max(0, before.size() - after.size()), leased);
  }

  /**
   * (h) on top, when nodes decide locally for a while: what they admit, and what the store refills
   * meanwhile and admits when it is back.
   *
   * @param safe the limit of one node, see {@link SafeLimits}
   */
  public static long localFallback(Limit limit, Limit safe, int nodes, long micros) {
    long faster = Math.max(0, times(refilled(safe, micros), nodes) - refilled(limit, micros));
    long back = Math.min(limit.size(), refilled(limit, micros));
    return sum(faster, times(safe.size(), nodes), back);
  }

  /**
   * (i) that run at the same time.
   *
   * @param overdue holders that continue after their slot expired; its token tells them apart
   */
  public static long running(Concurrency limit, long overdue) {
    return sum(limit.limit(), overdue);
  }

  /** What is refilled in an interval, rounded up. */
  static long refilled(Limit limit, long micros) {
    if (limit instanceof Bucket bucket) {
      return share(micros, bucket.den(), bucket.num());
    } else if (limit instanceof Paced paced) {
      return share(micros, paced.den(), paced.num());
    } else if (limit instanceof FixedWindow window) {
      return share(micros, window.limit(), window.period());
    } else if (limit instanceof CalendarWindow window) {
      return share(micros, window.limit(), minLength(window.unit()));
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
      return minLength(window.unit());
    }
    return rule.rate().map(rate -> rate.period().toNanos() / 1000).orElse(0L);
  }

  /** Days have 23 hours where summer begins, Februaries 28 days. */
  private static long minLength(Limit.Calendar unit) {
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
    return capped(exact.add(BigInteger.valueOf(per - 1)).divide(BigInteger.valueOf(per)));
  }

  private static long times(long a, long b) {
    return capped(BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)));
  }

  private static long sum(long... parts) {
    long sum = 0;
    for (long part : parts) {
      sum = Math.min(MAX, sum + part);
    }
    return sum;
  }

  private static long capped(BigInteger exact) {
    return exact.bitLength() > 62 ? MAX : exact.longValue();
  }
}
