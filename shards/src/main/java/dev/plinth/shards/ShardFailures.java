package dev.plinth.shards;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The ways a shard says "not now"; each is safe to retry with the same request id. */
public final class ShardFailures {
  /** Key of the metadata that says whether the request had an effect. */
  public static final String EFFECT = "effect";

  /** It surely had none, so that it may go elsewhere even without a request id. */
  public static final String NO_EFFECT = "none";

  private static final Duration SOON = Duration.ofMillis(100);

  private ShardFailures() {}

  /** Another node owns the shard, or nobody does yet; what was decided may have been applied. */
  static Failure moved(int shard) {
    return moved(shard, Map.of());
  }

  /** Like {@link #moved(int)}, for a call that surely had no effect. */
  static Failure noEffect(int shard) {
    return moved(shard, Map.of(EFFECT, NO_EFFECT));
  }

  /** Like {@link #noEffect}, with the owner as far as it is known. */
  public static Failure notHere(int shard, Route route) {
    Map<String, String> metadata = new HashMap<>(Map.of(EFFECT, NO_EFFECT));
    if (route.location() == Route.Location.REMOTE) {
      metadata.put("owner", route.node());
      metadata.put("address", route.address());
    }
    return moved(shard, metadata);
  }

  private static Failure moved(int shard, Map<String, String> metadata) {
    Map<String, String> all = new HashMap<>(metadata);
    all.put("shard", String.valueOf(shard));
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_SHARD_MOVED,
        "shard " + shard + " is not served by this node now",
        SOON,
        all);
  }

  /** The node that owns the shard did not answer a call that was passed on to it. */
  public static Failure ownerLost(int shard, Route owner, String why) {
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_OUTCOME_PENDING,
        "%s at %s, which owns shard %d, did not answer: %s"
            .formatted(owner.node(), owner.address(), shard, why),
        SOON,
        Map.of(
            "shard",
            String.valueOf(shard),
            "owner",
            owner.node(),
            "address",
            owner.address(),
            "why",
            why));
  }

  /** The node cannot be sure that it still owns the shard. */
  static Failure noAuthority(int shard) {
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_NO_AUTHORITY,
        "this node cannot be sure that it still owns shard " + shard,
        SOON,
        Map.of("shard", String.valueOf(shard), EFFECT, NO_EFFECT));
  }

  /** The node seems to have slept, and does not know whether it still owns the shard. */
  static Failure clockUntrusted(int shard) {
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_CLOCK_UNTRUSTED,
        "this node's clock stood still: it cannot be sure that it still owns shard " + shard,
        SOON,
        Map.of("shard", String.valueOf(shard), EFFECT, NO_EFFECT));
  }

  public static Failure overloaded(int shard) {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_OVERLOADED,
        "shard " + shard,
        "the queue of shard " + shard + " is full",
        SOON);
  }

  public static Failure answersWaiting() {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_OVERLOADED,
        "answers",
        "too many long answers of this node wait to be made",
        SOON);
  }

  static Failure heapFull(int shard) {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_OVERLOADED,
        "shard " + shard,
        "the heap of this node is nearly full, so that nothing may be added",
        Duration.ofSeconds(1));
  }

  /** For a watcher whose unread messages are too many; none was skipped. */
  public static Failure tooSlow() {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_WATCHER_TOO_SLOW,
        "watch",
        "the watcher does not keep up; resume from the last revision seen",
        Duration.ofMillis(500));
  }
}
