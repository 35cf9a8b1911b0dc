package dev.plinth.lease.core;

/**
 * How a hold ended.
 *
 * @param actor who did it: an owner, an operator, or the clock
 * @param reason an operator's; else empty
 */
public record End(Ending cause, String actor, String reason) {
  static final End EXPIRED = new End(Ending.EXPIRED, "clock", "");

  static End by(String owner, Ending cause) {
    return new End(cause, owner, "");
  }
}
