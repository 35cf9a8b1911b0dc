package dev.plinth.lease.core;

/** What happens to leases, for metrics. Called on the deciding thread: it only counts. */
public interface LeaseEvents {
  /** A wish was decided: GRANTED, REENTERED, HELD, TIMED_OUT, DELAYED. */
  void acquired(String outcome, long waitedNanos);

  /** A hold ended: RELEASED, EXPIRED, CLOSED, FORCED. */
  void ended(String cause, long heldNanos);

  void renewed(boolean kept);

  void waiting(int change);

  void held(int change);

  void sessions(int change);

  /** A token was asked about that does not hold its key. */
  void stale();
}
