package dev.plinth.ratelimit.policy;

import java.math.BigInteger;

/**
 * The part of a limit that one node has while each decides locally: {@code part / whole}. Rates are
 * divided exactly; sizes are rounded down, but at least 1 unless the limit is 0. So all nodes
 * together have no more than the limit, unless it is less than their number: then they have 1 each,
 * which is less than one for each node too much.
 */
record Share(long part, long whole) {
  /** By the rule's safe limit, or else by the number of nodes. */
  static Share of(Rule rule, int nodes) {
    if (rule.safeLimit() == 0) {
      return new Share(1, Math.max(1, nodes));
    }
    long whole = rule.rate().map(Rule.Rate::limit).orElse(rule.limit().size());
    return new Share(Math.min(rule.safeLimit(), whole), Math.max(1, whole));
  }

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
