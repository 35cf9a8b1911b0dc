package dev.plinth.lease.core;

import java.time.Duration;

/**
 * An operator's wish that a holder lets go by itself.
 *
 * @param grace in all
 * @param until the hold is ended by force
 */
record ReleaseNotice(Duration grace, long until, String actor, String reason) {
  static ReleaseNotice of(Duration grace, HoldEnd how, long now) {
    return new ReleaseNotice(grace, now + grace.toNanos(), how.actor(), how.reason());
  }

  /** After a change of owner the grace counts in full again. */
  ReleaseNotice restarted(long now) {
    return new ReleaseNotice(grace, now + grace.toNanos(), actor, reason);
  }

  HoldEnd how() {
    return new HoldEnd(HoldEndCause.FORCED, actor, reason);
  }

  ReleaseNoticeView view(long now) {
    return new ReleaseNoticeView(Duration.ofNanos(Math.max(0, until - now)), actor, reason);
  }
}
