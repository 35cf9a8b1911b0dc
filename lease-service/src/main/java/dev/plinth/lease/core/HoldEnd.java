package dev.plinth.lease.core;

/**
 * How a hold ended.
 *
 * @param actor who did it: an owner, an operator, or the clock
 * @param reason an operator's; else empty
 */
public record HoldEnd(HoldEndCause cause, String actor, String reason) {
  static final HoldEnd EXPIRED = new HoldEnd(HoldEndCause.EXPIRED, "clock", "");

  static HoldEnd by(String owner, HoldEndCause cause) {
    return new HoldEnd(cause, owner, "");
  }
}
