package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.Verdict;
import java.time.Duration;
import java.util.Optional;

/**
 * Whether something may be done, and why.
 *
 * @param retryAfter after a denial: when the same would pass if nothing else came; empty if it
 *     never would, or nobody knows
 * @param decision of the service, if it made one: now, or when it denied what is still denied
 */
public record LimiterDecision(
    boolean allowed,
    DecisionSource source,
    Optional<Duration> retryAfter,
    Optional<Decision> decision) {
  static final LimiterDecision PAID =
      new LimiterDecision(true, DecisionSource.LEASE, Optional.empty(), Optional.empty());

  static LimiterDecision unavailable(OnUnavailable mode) {
    return new LimiterDecision(
        mode == OnUnavailable.OPEN, DecisionSource.UNAVAILABLE, Optional.empty(), Optional.empty());
  }

  /** The service refused what it was asked, so it decided nothing. */
  static final LimiterDecision BAD_CONTENT =
      new LimiterDecision(false, DecisionSource.SERVICE, Optional.empty(), Optional.empty());

  static LimiterDecision of(Decision decision) {
    return new LimiterDecision(
        isAllowed(decision), DecisionSource.SERVICE, retryAfter(decision), Optional.of(decision));
  }

  static boolean isAllowed(Decision decision) {
    return decision.getVerdict() == Verdict.VERDICT_ALLOW
        || decision.getVerdict() == Verdict.VERDICT_ALLOW_SHADOW;
  }

  static Optional<Duration> retryAfter(Decision decision) {
    return decision.hasRetryAfter()
        ? Optional.of(ClientWire.duration(decision.getRetryAfter()))
        : Optional.empty();
  }
}
