package dev.plinth.lease.core;

import java.time.Duration;

/**
 * An operator's wish that a holder lets go by itself.
 *
 * @param grace in all
 * @param until the hold is ended by force
 */
record Ask(Duration grace, long until, String actor, String reason) {
  End how() {
    return new End(Ending.FORCED, actor, reason);
  }

  AskView view(long now) {
    return new AskView(Duration.ofNanos(Math.max(0, until - now)), actor, reason);
  }
}
