package dev.plinth.registry.core;

import java.time.Duration;
import java.util.List;

/**
 * What a session is told with a beat.
 *
 * @param members how many it has
 * @param lost the first of those that it had and did not end itself
 * @param presences how many devices it tracks
 * @param presenceEpoch another one than before says that it has to track them again
 */
public record BeatResult(
    Duration ttl, int members, List<MemberName> lost, int presences, long presenceEpoch) {
  static final int MAX_LOST = 100;

  public Duration nextIn() {
    return ttl.dividedBy(3);
  }
}
