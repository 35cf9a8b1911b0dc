package dev.plinth.lease.core;

import java.util.Optional;

/**
 * What became of a hold that was to go to one in line.
 *
 * @param lease the new one, if it went over
 * @param wasHeld whether there was a hold to hand over
 */
public record Handed(Optional<LeaseView> lease, boolean wasHeld) {
  static final Handed NOT_HELD = new Handed(Optional.empty(), false);
  static final Handed NOBODY = new Handed(Optional.empty(), true);
}
