package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Outcome;
import java.util.function.LongPredicate;

/** How much of a limit is used. Everything else follows from what is available when. */
abstract class ModelLimitState {
  abstract Limit limit();

  abstract long available(long now);

  abstract void charge(long amount, long now);

  /** Of what was charged at a time, without what has refilled since. */
  abstract void refund(long amount, long charged, long at, long now);

  /** What is left of a charge, which debt has bounded, at num / den microseconds a unit. */
  static Ratio unrefilled(long charged, long num, long den, long elapsed) {
    Ratio refilled = Ratio.of(Math.max(0, elapsed)).times(Ratio.of(den, num));
    return Ratio.of(charged).min(Ratio.of(Limit.DEBT, num)).minus(refilled).max(Ratio.of(0));
  }

  /** The clock went from one time back to another: what was used, was used as long ago as then. */
  abstract void afterClockStep(long from, long to);

  abstract ModelLimitState copy();

  boolean passes(long cost, long now) {
    return cost <= available(now);
  }

  /** The earliest moment, found by trying: once a check passes, it passes ever after. */
  final long retry(long cost, long now) {
    boolean never = cost > limit().size() && !(limit() instanceof Limit.Paced);
    return never ? Outcome.NEVER : earliest(wait -> passes(cost, now + wait));
  }

  final long reset(long now) {
    return earliest(wait -> available(now + wait) == limit().size());
  }

  private static long earliest(LongPredicate holds) {
    if (holds.test(0)) {
      return 0;
    }
    long no = 0;
    long yes = 1;
    while (!holds.test(yes)) {
      no = yes;
      yes *= 2;
    }
    while (yes - no > 1) {
      long middle = no + (yes - no) / 2;
      if (holds.test(middle)) {
        yes = middle;
      } else {
        no = middle;
      }
    }
    return yes;
  }

  static ModelLimitState none(Limit limit, long now) {
    if (limit instanceof Limit.Bucket bucket) {
      return new ModelTokenBucket(bucket, Ratio.of(bucket.burst()), now);
    } else if (limit instanceof Limit.Paced paced) {
      return new ModelPaced(paced, Ratio.of(now));
    } else if (limit instanceof Limit.SlidingCounter counter) {
      return new ModelSlidingCounter(counter);
    } else if (limit instanceof Limit.SlidingLog log) {
      return new ModelSlidingLog(log);
    }
    return new ModelWindow(limit, now);
  }
}
