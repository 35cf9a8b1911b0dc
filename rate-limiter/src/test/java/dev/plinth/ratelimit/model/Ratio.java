package dev.plinth.ratelimit.model;

import java.math.BigInteger;

/** An exact fraction; the divisor is positive. */
record Ratio(BigInteger over, BigInteger under) implements Comparable<Ratio> {
  static Ratio of(long over, long under) {
    return new Ratio(BigInteger.valueOf(over), BigInteger.valueOf(under));
  }

  static Ratio of(long whole) {
    return of(whole, 1);
  }

  Ratio plus(Ratio other) {
    BigInteger sum = over.multiply(other.under).add(other.over.multiply(under));
    BigInteger divisor = under.multiply(other.under);
    BigInteger gcd = sum.gcd(divisor);
    return new Ratio(sum.divide(gcd), divisor.divide(gcd));
  }

  Ratio minus(Ratio other) {
    return plus(new Ratio(other.over.negate(), other.under));
  }

  Ratio times(Ratio other) {
    return new Ratio(over.multiply(other.over), under.multiply(other.under));
  }

  Ratio min(Ratio other) {
    return compareTo(other) <= 0 ? this : other;
  }

  Ratio max(Ratio other) {
    return compareTo(other) >= 0 ? this : other;
  }

  long floor() {
    BigInteger[] parts = over.divideAndRemainder(under);
    return (parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0]).longValueExact();
  }

  @Override
  public int compareTo(Ratio other) {
    return over.multiply(other.under).compareTo(other.over.multiply(under));
  }
}
