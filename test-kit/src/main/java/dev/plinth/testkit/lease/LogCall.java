package dev.plinth.testkit.lease;

import java.time.Duration;
import java.util.List;

/**
 * What a client asked of a namespace, to be checked against the server's own log. A call that takes
 * keys does so under an owner that no other call uses, so that the log tells whose they are; sent
 * again because it got no answer, it is one call.
 *
 * @param owner who takes keys, or to whom a hold is to go; empty for the other calls
 * @param items what is to be taken, all in one step
 * @param token of the hold that is released, taken away, renewed or transferred; else 0
 * @param lockDelay for how long the keys stay barred when the hold is lost
 * @param capacity that a policy gives to the semaphores of the namespace
 */
public record LogCall(
    Kind kind,
    String owner,
    List<Item> items,
    long token,
    Duration ttl,
    Duration lockDelay,
    int capacity) {
  /** The calls that the check knows. */
  public enum Kind {
    ACQUIRE,
    RELEASE,
    FORCE_RELEASE,
    RENEW,
    TRANSFER,
    SET_POLICY
  }

  /** How a key is taken. */
  public enum Mode {
    EXCLUSIVE,
    SHARED,
    SEMAPHORE
  }

  /**
   * One key to be taken.
   *
   * @param weight of a semaphore's hold; 0 in other modes
   */
  public record Item(String key, Mode mode, int weight) {}

  public static LogCall acquire(String owner, List<Item> items, Duration ttl, Duration lockDelay) {
    return new LogCall(Kind.ACQUIRE, owner, items, 0, ttl, lockDelay, 0);
  }

  /** RELEASE, FORCE_RELEASE or RENEW. */
  public static LogCall of(Kind kind, long token) {
    return new LogCall(kind, "", List.of(), token, Duration.ZERO, Duration.ZERO, 0);
  }

  public static LogCall transfer(long token, String toOwner) {
    return new LogCall(Kind.TRANSFER, toOwner, List.of(), token, Duration.ZERO, Duration.ZERO, 0);
  }

  public static LogCall policy(int capacity) {
    return new LogCall(Kind.SET_POLICY, "", List.of(), 0, Duration.ZERO, Duration.ZERO, capacity);
  }
}
