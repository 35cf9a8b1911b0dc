package dev.plinth.ratelimit.core;

/**
 * Arithmetic of the theoretical arrival time: what is used of a bucket, as the time until it has
 * all come back, in microseconds times {@code den}. Kept as whole microseconds and the rest's
 * numerator, so nothing is ever rounded.
 */
final class Tat {
  private Tat() {}

  static long used(long tat, long rest, long den, long now) {
    return tat < now ? 0 : (tat - now) * den + rest;
  }

  /** Used and so many units more, up to {@link Limit#DEBT}. */
  static long plus(long used, long units, long num) {
    return units > (Limit.DEBT - used) / num ? Math.max(used, Limit.DEBT) : used + units * num;
  }

  /** Used without so many units. */
  static long minus(long used, long units, long num) {
    return units > used / num ? 0 : used - units * num;
  }

  static long ceil(long dividend, long divisor) {
    return -Math.floorDiv(-dividend, divisor);
  }
}
