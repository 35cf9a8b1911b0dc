package dev.plinth.lease.core;

import java.util.Optional;

/**
 * What became of a hold that was to go to one in line.
 *
 * @param lease the new one, if it went over
 * @param wasHeld whether there was a hold to hand over
 */
public record HandoverResult(Optional<LeaseView> lease, boolean wasHeld) {
  static final HandoverResult NOT_HELD = new HandoverResult(Optional.empty(), false);
  static final HandoverResult NOBODY = new HandoverResult(Optional.empty(), true);
}
