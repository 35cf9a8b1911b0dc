package dev.plinth.testkit.lease;

import java.time.Duration;

/**
 * What a client asked of one key. A client that sends a call again because it got no answer has
 * made one call.
 *
 * @param owner who asks, or to whom a hold is to go
 * @param token 0 where the call has none
 */
public record LeaseCall(
    Kind kind, String key, String owner, long token, boolean shared, Duration ttl) {
  /** The calls that the model knows. */
  public enum Kind {
    ACQUIRE,
    RENEW,
    RELEASE,
    TRANSFER,
    FORCE_RELEASE,
    VALIDATE,
    READ
  }

  public static LeaseCall acquire(String key, String owner, boolean shared, Duration ttl) {
    return new LeaseCall(Kind.ACQUIRE, key, owner, 0, shared, ttl);
  }

  public static LeaseCall transfer(String key, long token, String toOwner) {
    return new LeaseCall(Kind.TRANSFER, key, toOwner, token, false, Duration.ZERO);
  }

  /** RENEW, RELEASE or VALIDATE. */
  public static LeaseCall of(Kind kind, String key, long token) {
    return new LeaseCall(kind, key, "", token, false, Duration.ZERO);
  }

  /** READ or FORCE_RELEASE. */
  public static LeaseCall of(Kind kind, String key) {
    return of(kind, key, 0);
  }

  @Override
  public String toString() {
    return kind
        + " "
        + key
        + (owner.isEmpty() ? "" : " for " + owner)
        + (token == 0 ? "" : " #" + token)
        + (kind != Kind.ACQUIRE ? "" : (shared ? " shared " : " ") + ttl.toMillis() + "ms");
  }
}
