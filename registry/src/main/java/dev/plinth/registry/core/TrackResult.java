package dev.plinth.registry.core;

import java.util.Optional;

/** What became of a call that tracks a device, and the device as it is then. */
public record TrackResult(Outcome outcome, Optional<PresenceView> device) {
  /** What became of it. */
  public enum Outcome {
    TRACKED,
    STALE,
    EPOCH_CHANGED
  }
}
