package dev.plinth.lease.core;

import java.util.Optional;

/**
 * Something that happened to a hold, as watchers are told.
 *
 * @param ended how, if it ended
 */
public record LeaseChange(Type type, LeaseView lease, Optional<HoldEndCause> ended) {
  // Its fields without the texts and the payload.
  private static final int FIXED_BYTES = 300;

  /** About what it weighs in memory. */
  int bytes() {
    return FIXED_BYTES
        + lease.name().namespace().length()
        + lease.name().key().length()
        + lease.ownerId().length()
        + lease.payload().length;
  }

  public enum Type {
    GRANTED,
    CHANGED,
    /** Among others its payload. */
    PAYLOAD_CHANGED,
    ENDED
  }
}
