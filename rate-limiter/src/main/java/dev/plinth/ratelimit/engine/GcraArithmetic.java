package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;

/**
 * Arithmetic of the theoretical arrival time: what is used of a bucket, as the time until it has
 * all come back, in microseconds times {@code den}. Kept as whole microseconds and the rest's
 * numerator, so nothing is ever rounded.
 */
final class GcraArithmetic {
  private GcraArithmetic() {}

  static long used(long tat, long rest, long den, long now) {
    return tat < now ? 0 : (tat - now) * den + rest;
  }

  /** Used and so many units more, up to {@link Limit#DEBT}. */
  static long plus(long used, long units, long num) {
    return units > (Limit.DEBT - used) / num ? Math.max(used, Limit.DEBT) : used + units * num;
  }

  /**
   * What is left of a charge after so long. The refill since counts against this charge first,
   * whatever else was used: so that what all charges may give back was never refilled, in whichever
   * order they do.
   */
  static long unrefilled(long charged, long den, long elapsed) {
    if (elapsed <= 0) {
      return charged; // the clock was stepped back
    }
    return elapsed >= ceil(charged, den) ? 0 : charged - elapsed * den;
  }

  static long ceil(long dividend, long divisor) {
    return -Math.floorDiv(-dividend, divisor);
  }
}
