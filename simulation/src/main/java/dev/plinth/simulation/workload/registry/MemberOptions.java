package dev.plinth.simulation.workload.registry;

import dev.plinth.simulation.workload.SimulatedPlatform;
import java.util.SplittableRandom;

/**
 * What a seed drew for its members.
 *
 * @param ttlMillis of all sessions
 * @param driftPpm the most that a clock is wrong
 */
record MemberOptions(int ttlMillis, long driftPpm) {
  private static final long MILLION = 1_000_000;

  static MemberOptions draw(SimulatedPlatform platform) {
    SplittableRandom random = platform.simulation().random("member options");
    return new MemberOptions(random.nextInt(1000, 5000), platform.options().driftPpm());
  }

  /** The ttl, by a clock that is as fast as it may be. */
  long leastTtlNanos() {
    return ttlMillis * MILLION - ttlMillis * driftPpm - MILLION;
  }
}
