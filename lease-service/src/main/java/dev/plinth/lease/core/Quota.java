package dev.plinth.lease.core;

/**
 * What a namespace may have only so many of. In the order of the policy's row: new ones come last.
 */
public enum Quota {
  LEASES(1_000_000),
  SESSIONS(1_000_000),
  WAITERS(100_000),
  WAITERS_PER_KEY(10_000),
  ACQUIRES_PER_SECOND(Integer.MAX_VALUE),
  WAITERS_PER_OWNER(10_000),
  FENCES(100_000),
  ELECTIONS(100_000);

  private final int most;

  Quota(int most) {
    this.most = most;
  }

  /** The platform's own bound, which no policy can go beyond. */
  public int most() {
    return most;
  }
}
