package dev.plinth.lease.core;

/** Why a hold ended. */
public enum HoldEndCause {
  RELEASED,
  /** Its session was closed. */
  CLOSED,
  /** An operator ended it; its holder may not know. */
  FORCED,
  EXPIRED,
  /** Its holder gave it to another. */
  TRANSFERRED;

  /** The holder did not let go by itself and may still be at work. */
  boolean isUnclean() {
    return this == EXPIRED || this == FORCED;
  }
}
