package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Decision.DecidedBy;
import dev.plinth.ratelimit.core.Decision.LimitStatus;
import dev.plinth.ratelimit.core.Request.Once;
import java.util.List;
import java.util.Optional;

/**
 * A place in every concurrency rule that matches, or none.
 *
 * @param slot empty if all places are taken
 * @param token rises with each place given in the domain; 0 if none was given, or not by the store
 * @param validFor microseconds, counted from before it was asked for
 * @param retry microseconds until the first place runs out, if all are taken
 */
public record SlotGrant(
    String slot,
    long token,
    long validFor,
    long retry,
    List<LimitStatus> limits,
    long policyVersion,
    DecidedBy decidedBy) {

  public boolean acquired() {
    return !slot.isEmpty();
  }

  /**
   * @param ttl microseconds
   */
  public record Wish(List<Descriptor> descriptors, long ttl, Optional<Once> once) {}
}
