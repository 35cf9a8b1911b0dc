package dev.plinth.registry.core;

import java.time.Duration;

/** A session that was opened, and the times that it lives by. */
public record OpenedSession(String id, long incarnation, Duration ttl, long presenceEpoch) {
  /** So that two may be lost. */
  public Duration beatInterval() {
    return ttl.dividedBy(3);
  }

  public Duration deadAfter() {
    return ttl.multipliedBy(2);
  }

  public Duration maxHold() {
    return ttl.multipliedBy(MemberGroup.HOLD_TTLS);
  }
}
