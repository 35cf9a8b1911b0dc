package dev.plinth.shards.replica;

import java.time.Duration;

/**
 * How far this node's copy of one key can be trusted to be the owner's.
 *
 * @param age time since the owner's last message, which may have been that nothing has changed;
 *     zero if there was none
 */
public record ReplicaStatus(State state, Duration age) {
  public enum State {
    /** The owner has not answered yet, or the key is not watched. */
    UNKNOWN,
    /** The watch is running: the copy is late by the time of a message. */
    LIVE,
    /** The watch is broken: the copy is as of {@code age} ago. */
    STALE
  }
}
