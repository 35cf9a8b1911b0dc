package dev.plinth.registry.core;

import java.time.Duration;
import java.util.List;

/**
 * What a session is told with a beat.
 *
 * @param members how many it has
 * @param lost the first of those that it had and did not end itself
 */
public record BeatResult(Duration ttl, int members, List<MemberName> lost) {
  static final int MAX_LOST = 100;

  public Duration nextIn() {
    return ttl.dividedBy(3);
  }
}
