package dev.plinth.lease.core;

/** Why a hold ended. */
enum Ending {
  RELEASED,
  CLOSED,
  /** An operator ended it; its holder may not know. */
  FORCED,
  EXPIRED;

  /** The holder did not let go by itself and may still be at work. */
  boolean isUnclean() {
    return this == EXPIRED || this == FORCED;
  }
}
