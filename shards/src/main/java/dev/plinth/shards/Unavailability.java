package dev.plinth.shards;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.Map;

/** The ways a shard says "not now"; each is safe to retry with the same request id. */
final class Unavailability {
  private static final Duration SOON = Duration.ofMillis(100);

  private Unavailability() {}

  /** Another node owns the shard, or nobody does yet. */
  static Failure moved(int shard) {
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_SHARD_MOVED,
        "shard " + shard + " is not served by this node now",
        SOON,
        Map.of("shard", String.valueOf(shard)));
  }

  /** The node cannot be sure that it still owns the shard. */
  static Failure noAuthority(int shard) {
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_NO_AUTHORITY,
        "this node cannot be sure that it still owns shard " + shard,
        SOON,
        Map.of("shard", String.valueOf(shard)));
  }

  static Failure overloaded(int shard) {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_OVERLOADED,
        "shard " + shard,
        "the queue of shard " + shard + " is full",
        SOON);
  }
}
