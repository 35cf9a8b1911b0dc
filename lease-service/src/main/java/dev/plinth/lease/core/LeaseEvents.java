package dev.plinth.lease.core;

/** What happens to leases, for metrics. Called on the deciding thread: it only counts. */
public interface LeaseEvents {
  /** A wish was decided: GRANTED, REENTERED, HELD, TIMED_OUT, DELAYED. */
  void acquired(String outcome, long waitedNanos);

  /** One from the line was let in, so long after the key was free and it stood there. */
  void transferred(long nanos);

  /** One more stands in a line, which is now so long. */
  void joined(int depth);

  /** A wait was refused, or ended, since it would never have. */
  void deadlocked();

  /** A hold ended: RELEASED, EXPIRED, CLOSED, FORCED, TRANSFERRED. */
  void ended(String cause, long heldNanos);

  void renewed(boolean kept);

  void waiting(int change);

  void held(int change);

  void sessions(int change);

  /** A token was asked about that does not hold its key, or is below a fence. */
  void stale();
}
