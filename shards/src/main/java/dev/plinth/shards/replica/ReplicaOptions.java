package dev.plinth.shards.replica;

import java.time.Duration;

/**
 * Bounds of a {@link Replica}.
 *
 * @param maxKeys keys that are watched at once
 * @param idle time without use after which a key is dropped
 * @param maxWait the longest that {@link Replica#await} waits
 * @param progressInterval at which an owner sends a message even if nothing has changed
 */
public record ReplicaOptions(
    int maxKeys, Duration idle, Duration maxWait, Duration progressInterval) {
  private static final int SILENT_INTERVALS = 3;

  /** A watch without any message for this long is taken for broken. */
  Duration silence() {
    return progressInterval.multipliedBy(SILENT_INTERVALS);
  }
}
