package dev.plinth.client;

import java.time.Duration;

/**
 * What a holder may believe of its time, by its own monotonic clock and without asking anybody. The
 * server counts from when it handled a renewal, the holder from before it sent it and a margin
 * less: so the holder stops first, however late the answer came. Once LOST it stays LOST.
 */
final class Tenure {
  private static final Duration LEAST_MARGIN = Duration.ofMillis(50);

  private Duration window;
  private long deadline;
  private boolean missed;
  private boolean lost;

  Tenure(long sentAt, Duration ttl) {
    window = window(ttl);
    deadline = sentAt + window.toNanos();
  }

  /** The margin covers the difference in speed of two clocks, and the pause before acting. */
  private static Duration window(Duration ttl) {
    Duration margin = Wire.longer(ttl.dividedBy(10), LEAST_MARGIN);
    return ttl.minus(Wire.shorter(margin, ttl.dividedBy(2)));
  }

  /** A third of what may be believed: two renewals may fail before the third must not. */
  synchronized Duration interval() {
    return window.dividedBy(3);
  }

  /** An answer that comes after the deadline is too late: the loss has been told. */
  synchronized void renewed(long sentAt, Duration ttl, long now) {
    if (state(now) == LeaseState.LOST) {
      return;
    }
    missed = false;
    window = window(ttl);
    long renewed = sentAt + window.toNanos();
    if (renewed - deadline > 0) { // answers may overtake one another
      deadline = renewed;
    }
  }

  synchronized void missed() {
    missed = true;
  }

  synchronized void end() {
    lost = true;
  }

  synchronized LeaseState state(long now) {
    if (lost || deadline - now <= 0) {
      lost = true; // so that a renewal still under way cannot bring it back
      return LeaseState.LOST;
    }
    boolean near = deadline - now <= interval().toNanos();
    return missed || near ? LeaseState.JEOPARDY : LeaseState.SAFE;
  }

  synchronized Duration remaining(long now) {
    return state(now) == LeaseState.LOST ? Duration.ZERO : Duration.ofNanos(deadline - now);
  }

  /** How long until time alone changes the state. */
  synchronized Duration untilNextEdge(long now) {
    long left = deadline - now;
    long edge = left - interval().toNanos();
    return Duration.ofNanos(Math.max(0, edge > 0 ? edge : left));
  }
}
