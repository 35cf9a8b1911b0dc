package dev.plinth.ratelimit.policy;

import dev.plinth.ratelimit.policy.Limit.Bucket;
import dev.plinth.ratelimit.policy.Limit.CalendarWindow;
import dev.plinth.ratelimit.policy.Limit.Concurrency;
import dev.plinth.ratelimit.policy.Limit.FixedWindow;
import dev.plinth.ratelimit.policy.Limit.Paced;
import dev.plinth.ratelimit.policy.Limit.SlidingCounter;
import dev.plinth.ratelimit.policy.Limit.SlidingLog;
import java.math.BigInteger;

/**
 * The limit of one node that decides locally: the rule's safe limit, or the limit divided by the
 * nodes. Rates are divided exactly; sizes are rounded down, but at least 1 unless the limit is 0.
 * So all nodes together have no more than the limit, unless it is less than their number: then they
 * have 1 each, which is less than one for each node too much.
 */
public final class SafeLimits {
  private SafeLimits() {}

  /** The share of a rule's limit: {@code part / whole}. */
  private record Share(long part, long whole) {
    long of(long size) {
      BigInteger exact = BigInteger.valueOf(size).multiply(BigInteger.valueOf(part));
      return Math.max(Math.min(1, size), exact.divide(BigInteger.valueOf(whole)).longValue());
    }

    /** Microseconds of refill for a unit, {@code num / den}, grow as the share shrinks. */
    long[] slower(long num, long den) {
      BigInteger n = BigInteger.valueOf(num).multiply(BigInteger.valueOf(whole));
      BigInteger d = BigInteger.valueOf(den).multiply(BigInteger.valueOf(part));
      BigInteger common = n.gcd(d);
      return new long[] {n.divide(common).longValueExact(), d.divide(common).longValueExact()};
    }
  }

  public static Limit of(Rule rule, int nodes) {
    Share share = share(rule, Math.max(1, nodes));
    Limit limit = rule.limit();
    if (limit instanceof Bucket bucket) {
      long[] pace = share.slower(bucket.num(), bucket.den());
      return new Bucket(share.of(bucket.burst()), pace[0], pace[1]);
    } else if (limit instanceof Paced paced) {
      long[] pace = share.slower(paced.num(), paced.den());
      return new Paced(pace[0], pace[1]);
    } else if (limit instanceof FixedWindow window) {
      return new FixedWindow(share.of(window.limit()), window.period());
    } else if (limit instanceof CalendarWindow window) {
      return new CalendarWindow(share.of(window.limit()), window.unit(), window.zone());
    } else if (limit instanceof SlidingCounter counter) {
      return new SlidingCounter(share.of(counter.limit()), counter.period());
    } else if (limit instanceof SlidingLog log) {
      return new SlidingLog(share.of(log.limit()), log.period());
    }
    return new Concurrency(share.of(limit.size()));
  }

  private static Share share(Rule rule, int nodes) {
    if (rule.safeLimit() == 0) {
      return new Share(1, nodes);
    }
    long whole = rule.rate().map(Rule.Rate::limit).orElse(rule.limit().size());
    return new Share(Math.min(rule.safeLimit(), whole), Math.max(1, whole));
  }
}
