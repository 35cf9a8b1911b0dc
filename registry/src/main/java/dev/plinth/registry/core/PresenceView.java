package dev.plinth.registry.core;

import java.time.Instant;
import java.util.Map;

/**
 * A device in a room as it was at one moment.
 *
 * @param version that of its last change
 * @param joinVersion that of its first: with another one, it left in between
 */
public record PresenceView(
    DevicePosition at, Map<String, String> meta, long version, long joinVersion, Instant joinedAt) {
  // Its fields and places in maps, without the texts.
  private static final int FIXED_BYTES = 400;

  /** About what it weighs in memory. */
  public int bytes() {
    int bytes = FIXED_BYTES + 2 * (at.key().length() + at.device().length());
    for (var entry : meta.entrySet()) {
      bytes += 64 + 2 * (entry.getKey().length() + entry.getValue().length());
    }
    return bytes;
  }

  long hash() {
    return SetHash.of(at.key(), at.sessionId(), at.device(), version);
  }
}
