package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientWire;
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
record CachedDenial(long cost, long until, long retryAt, Decision decision) {
  static final CachedDenial NONE =
      new CachedDenial(Long.MAX_VALUE, 0, 0, Decision.getDefaultInstance());

  /** {@link #NONE} if the decision says nothing of the time after it. */
  static CachedDenial of(long cost, long sent, Decision decision, Duration most) {
    if (LimiterDecision.isAllowed(decision) || !decision.hasRetryAfter()) {
      return NONE;
    }
    Duration retryAfter = ClientWire.duration(decision.getRetryAfter());
    return new CachedDenial(
        cost,
        sent + ClientWire.shorter(retryAfter, most).toNanos(),
        sent + retryAfter.toNanos(),
        decision);
  }

  boolean isActive(long wanted, long now) {
    return wanted >= cost && now - until < 0;
  }

  /** Of two, the one that denies more. */
  CachedDenial or(CachedDenial other, long now) {
    if (other == NONE || isActive(other.cost, now) && until - other.until >= 0) {
      return this;
    }
    return other;
  }

  LimiterDecision answer(long now) {
    return new LimiterDecision(
        false,
        DecisionSource.DENY_CACHE,
        Optional.of(Duration.ofNanos(Math.max(0, retryAt - now))),
        Optional.of(decision));
  }
}
