package dev.plinth.client.internal;

import dev.plinth.client.LeaseState;
import java.time.Duration;

/**
 * What a holder may believe of its time, by its own monotonic clock and without asking anybody. The
 * server counts from when it handled a renewal, the holder from before it sent it and a margin
 * less: so the holder stops first, however late the answer came. Once LOST it stays LOST.
 *
 * <p>A machine that slept may find its monotonic clock where it was. So when the wall clock has
 * moved much further than that one, nothing is SAFE until a renewal sent after it was answered; and
 * if by the wall clock the deadline has passed, nothing is held until then.
 */
public final class LocalDeadline {
  private static final Duration MIN_MARGIN = Duration.ofMillis(50);
  private static final Duration MIN_STANDSTILL = Duration.ofSeconds(1);

  private Duration window;
  private Duration bearable;
  private ClockReading confirmed;
  private long deadline;
  private boolean missed;
  private boolean lost;

  public LocalDeadline(ClockReading sentAt, Duration ttl) {
    confirm(sentAt, ttl);
    deadline = sentAt.nanos() + window.toNanos();
  }

  private void confirm(ClockReading sentAt, Duration ttl) {
    window = window(ttl);
    bearable = ClientWire.longer(ttl.dividedBy(4), MIN_STANDSTILL);
    confirmed = sentAt;
  }

  /** The margin covers the difference in speed of two clocks, and the pause before acting. */
  public static Duration window(Duration ttl) {
    Duration margin = ClientWire.longer(ttl.dividedBy(10), MIN_MARGIN);
    return ttl.minus(ClientWire.shorter(margin, ttl.dividedBy(2)));
  }

  /** A third of what may be believed: two renewals may fail before the third must not. */
  public synchronized Duration interval() {
    return window.dividedBy(3);
  }

  public static Duration interval(Duration ttl) {
    return window(ttl).dividedBy(3);
  }

  /** An answer that comes after the deadline is too late: the loss has been told. */
  public synchronized void renewed(ClockReading sentAt, Duration ttl, ClockReading now) {
    if (state(now) == LeaseState.LOST) {
      return;
    }
    missed = false;
    if (sentAt.nanos() - confirmed.nanos() < 0) { // answers may overtake one another
      return;
    }
    confirm(sentAt, ttl);
    long renewed = sentAt.nanos() + window.toNanos();
    if (renewed - deadline > 0) {
      deadline = renewed;
    }
  }

  public synchronized void missed() {
    missed = true;
  }

  public synchronized void end() {
    lost = true;
  }

  public synchronized LeaseState state(ClockReading now) {
    if (lost || deadline - now.nanos() <= 0) {
      lost = true; // so that a renewal still in flight cannot bring it back
      return LeaseState.LOST;
    }
    boolean near = deadline - now.nanos() <= interval().toNanos();
    return missed || near || wasSuspended(now) ? LeaseState.JEOPARDY : LeaseState.SAFE;
  }

  /** Whether the machine seems to have slept since the last answered renewal was sent. */
  public synchronized boolean wasSuspended(ClockReading now) {
    return now.suspendedSince(confirmed).compareTo(bearable) > 0;
  }

  /**
   * Whether the machine seems to have slept past the deadline: by the wall clock the time is over,
   * by the monotonic one, which stood still, it is not. Then another may hold what was held here,
   * until a renewal says otherwise.
   */
  public synchronized boolean isExpiredInSleep(ClockReading now) {
    long passed = now.wallMillis() - confirmed.wallMillis();
    return wasSuspended(now) && passed >= window.toMillis();
  }

  public synchronized Duration remaining(ClockReading now) {
    return state(now) == LeaseState.LOST ? Duration.ZERO : Duration.ofNanos(deadline - now.nanos());
  }

  /** How long until time alone changes the state. */
  public synchronized Duration untilNextEdge(ClockReading now) {
    long left = deadline - now.nanos();
    long edge = left - interval().toNanos();
    return Duration.ofNanos(Math.max(0, edge > 0 ? edge : left));
  }
}
