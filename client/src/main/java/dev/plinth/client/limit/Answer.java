package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.Decision;
import java.time.Duration;
import java.util.Optional;

/**
 * Whether something may be done, and why.
 *
 * @param retryAfter after a denial: when the same would pass if nothing else came; empty if it
 *     never would, or nobody knows
 * @param decision of the service, if it made one: now, or when it denied what is still denied
 */
public record Answer(
    boolean allowed, Source source, Optional<Duration> retryAfter, Optional<Decision> decision) {
  static final Answer PAID = new Answer(true, Source.LEASE, Optional.empty(), Optional.empty());

  static Answer unavailable(OnUnavailable mode) {
    return new Answer(
        mode == OnUnavailable.OPEN, Source.UNAVAILABLE, Optional.empty(), Optional.empty());
  }

  static Answer of(Decision decision) {
    return new Answer(
        Wire.isAllowed(decision), Source.SERVICE, Wire.retryAfter(decision), Optional.of(decision));
  }
}
