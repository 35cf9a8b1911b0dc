package dev.plinth.registry.partition;

import java.time.Instant;
import java.util.Optional;

/**
 * A partition as it was at one moment.
 *
 * @param owner the name of its owner; empty if it is FREE, as session and time
 * @param token 0 if it is FREE
 * @param overdue revoked for longer than a release should take
 */
public record PartitionView(
    int partition,
    PartitionState state,
    String owner,
    String sessionId,
    long token,
    Optional<Instant> since,
    boolean overdue) {
  // Its fields without the texts.
  private static final int FIXED_BYTES = 120;

  /** About what it weighs in memory. */
  public int bytes() {
    return FIXED_BYTES + owner.length() + sessionId.length();
  }
}
