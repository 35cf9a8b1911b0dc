package dev.plinth.simulation.kernel;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Random numbers from one seed, apart for each purpose: a draw more for one of them changes none of
 * the others.
 *
 * @param noise changes how long messages travel and which of two events comes first, and nothing
 *     else; mostly 0
 */
public record Seeds(long seed, long noise) {
  private static final List<String> NOISE = List.of("ties", "link ", "network", "etcd network");

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  public SplittableRandom random(String purpose) {
    long mixed = (noise != 0 && isNoise(purpose) ? seed ^ noise : seed) * GOLDEN;
    for (int i = 0; i < purpose.length(); i++) {
      mixed = (mixed ^ purpose.charAt(i)) * 0x100000001b3L;
      mixed ^= mixed >>> 29;
    }
    return new SplittableRandom(mixed);
  }

  private static boolean isNoise(String purpose) {
    return NOISE.stream().anyMatch(purpose::startsWith);
  }
}
