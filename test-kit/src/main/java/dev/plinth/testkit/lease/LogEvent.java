package dev.plinth.testkit.lease;

/**
 * One entry of a server's log of a namespace: a hold began or ended.
 *
 * @param token of the hold
 */
public record LogEvent(Type type, String key, String owner, long token) {
  /** What happened to the hold. */
  public enum Type {
    GRANTED,
    RELEASED,
    EXPIRED,
    /** Its session was closed. */
    CLOSED,
    FORCED,
    TRANSFERRED
  }

  boolean isGrant() {
    return type == Type.GRANTED;
  }
}
