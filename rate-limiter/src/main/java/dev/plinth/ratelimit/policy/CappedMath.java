package dev.plinth.ratelimit.policy;

import java.math.BigInteger;

/** Sums, products and ratios that do not overflow: what is above 2^62 is given as 2^62. */
public final class CappedMath {
  private static final long MAX = 1L << 62;

  private CappedMath() {}

  public static long sum(long... parts) {
    long sum = 0;
    for (long part : parts) {
      sum = Math.min(MAX, sum + part);
    }
    return sum;
  }

  public static long product(long a, long b) {
    return capped(BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)));
  }

  /** {@code a * b / divisor}, rounded up. */
  static long ratio(long a, long b, long divisor) {
    BigInteger exact = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
    return capped(exact.add(BigInteger.valueOf(divisor - 1)).divide(BigInteger.valueOf(divisor)));
  }

  /** The most windows that an interval can touch. */
  static long windows(long micros, long window) {
    return Math.floorDiv(micros + window - 1, window) + 1;
  }

  static boolean isBelow(long a, long b, long bound) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0 && a * b < bound;
  }

  private static long capped(BigInteger exact) {
    return exact.bitLength() > 62 ? MAX : exact.longValue();
  }
}
