package dev.plinth.lease.core;

import java.time.Duration;

/**
 * A wish for a key.
 *
 * @param sessionId empty for a lease with a time of its own
 * @param ttl the lease's own; not used with a session
 * @param lockDelay the lease's own; not used with a session
 * @param patient whether the caller may come back with the same request id, so that its place is
 *     kept for a moment
 */
public record Acquire(
    LeaseName name,
    String ownerId,
    String sessionId,
    Duration ttl,
    Duration patience,
    Mode mode,
    int priority,
    byte[] payload,
    Duration lockDelay,
    boolean patient) {

  boolean hasSession() {
    return !sessionId.isEmpty();
  }
}
