package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.Decision;
import java.time.Duration;
import java.util.Optional;

/**
 * A denial that still holds. It only ever denies, and no longer than the service said: counted from
 * before the request was sent, it ends no later here than there. More than what was denied is
 * denied as well; less may pass.
 *
 * @param until denied from memory up to here
 * @param retryAt when the service said that it would pass
 */
record Denial(long cost, long until, long retryAt, Decision decision) {
  static final Denial NONE = new Denial(Long.MAX_VALUE, 0, 0, Decision.getDefaultInstance());

  /** {@link #NONE} if the decision says nothing of the time after it. */
  static Denial of(long cost, long sent, Decision decision, Duration most) {
    if (Wire.isAllowed(decision) || !decision.hasRetryAfter()) {
      return NONE;
    }
    Duration retryAfter = Wire.duration(decision.getRetryAfter());
    return new Denial(
        cost,
        sent + Wire.shorter(retryAfter, most).toNanos(),
        sent + retryAfter.toNanos(),
        decision);
  }

  boolean holds(long wanted, long now) {
    return wanted >= cost && now - until < 0;
  }

  /** Of two, the one that denies more. */
  Denial or(Denial other, long now) {
    if (other == NONE || holds(other.cost, now) && until - other.until >= 0) {
      return this;
    }
    return other;
  }

  Answer answer(long now) {
    return new Answer(
        false,
        Source.DENY_CACHE,
        Optional.of(Duration.ofNanos(Math.max(0, retryAt - now))),
        Optional.of(decision));
  }
}
