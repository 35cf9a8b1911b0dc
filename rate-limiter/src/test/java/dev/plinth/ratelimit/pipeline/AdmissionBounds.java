package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.CappedMath;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Limit.Concurrency;
import dev.plinth.ratelimit.policy.Rule;

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
 *       interval what was out when it began comes on top, at most {@code Lending.max};
 *   <li>(e) to (i): what comes on top when something goes wrong, see the methods.
 * </ul>
 */
public final class AdmissionBounds {
  private AdmissionBounds() {}

  /** (a) to (d): in any interval of one period of the rule, with checks of cost 1. */
  static long perPeriod(Rule rule) {
    return RuleBudget.boundPerPeriod(rule);
  }

  /**
   * (a) to (d): in any interval.
   *
   * @param leased the most that may be out in leases
   * @param largest cost of one check; a paced budget admits any cost when it is free
   */
  public static long over(Limit limit, long leased, long micros, long largest) {
    return CappedMath.sum(limit.maxAdmitted(micros, largest), leased);
  }

  /**
   * (e) on top, once, when the store loses what was charged in its last moments.
   *
   * @param admitted in those moments
   */
  static long lostState(Limit limit, long admitted) {
    return Math.min(limit.size(), admitted);
  }

  /** (f) on top, once, when the store's clock is stepped forward; nothing when it goes back. */
  static long clockForward(Limit limit, long micros) {
    return Math.min(limit.size(), limit.refilled(micros));
  }

  /**
   * (g) on top of the new limit, once, when a node learns of a change late.
   *
   * @param micros how late
   * @param leased under the old limit and still out
   */
  static long lateChange(Limit before, Limit after, long micros, long leased) {
    long faster = Math.max(0, before.refilled(micros) - after.refilled(micros));
    return CappedMath.sum(faster, Math.max(0, before.size() - after.size()), leased);
  }

  /**
   * (h) on top, when nodes decide locally for a while: what they admit, and what the store refills
   * meanwhile and admits when it is back.
   *
   * @param safe the limit of one node, see {@link Rule#safeLimitOf}
   */
  public static long localFallback(Limit limit, Limit safe, int nodes, long micros) {
    long refilled = limit.refilled(micros);
    long faster = Math.max(0, CappedMath.product(safe.refilled(micros), nodes) - refilled);
    long back = Math.min(limit.size(), refilled);
    return CappedMath.sum(faster, CappedMath.product(safe.size(), nodes), back);
  }

  /**
   * (i) that run at the same time.
   *
   * @param overdue holders that continue after their slot expired; its token tells them apart
   */
  static long running(Concurrency limit, long overdue) {
    return CappedMath.sum(limit.limit(), overdue);
  }
}
