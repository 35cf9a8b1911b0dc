package dev.plinth.registry.core;

/**
 * How a member ended.
 *
 * @param actor the operator who did it; empty if none did
 */
public record MemberEnd(Cause cause, String actor, String reason) {
  /** Why it did. */
  public enum Cause {
    EXPIRED,
    HOLD_OVER,
    HOLD_RELEASED,
    DEREGISTERED,
    SESSION_CLOSED,
    FORCED
  }

  static MemberEnd by(Cause cause) {
    return new MemberEnd(cause, "", "");
  }

  /** For one that an operator deregisters. */
  public static MemberEnd forced(String actor, String reason) {
    return new MemberEnd(Cause.FORCED, actor, reason);
  }

  /** For one whose own session deregisters it. */
  public static MemberEnd deregistered() {
    return by(Cause.DEREGISTERED);
  }

  MemberState state() {
    return switch (cause) {
      case EXPIRED, HOLD_OVER, HOLD_RELEASED -> MemberState.DEAD;
      case DEREGISTERED, SESSION_CLOSED, FORCED -> MemberState.LEFT;
    };
  }
}
