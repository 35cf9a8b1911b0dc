package dev.plinth.simulation.kernel;

import java.util.SplittableRandom;

/**
 * Random numbers from one seed, apart for each purpose: a draw more for one of them changes none of
 * the others.
 */
public record Seeds(long seed) {
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  public SplittableRandom random(String purpose) {
    long mixed = seed * GOLDEN;
    for (int i = 0; i < purpose.length(); i++) {
      mixed = (mixed ^ purpose.charAt(i)) * 0x100000001b3L;
      mixed ^= mixed >>> 29;
    }
    return new SplittableRandom(mixed);
  }
}
