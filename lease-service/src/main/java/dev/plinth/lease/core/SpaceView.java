package dev.plinth.lease.core;

/** A namespace's rules and what there is of all they limit. */
public record SpaceView(
    Policy policy, long version, int leases, int sessions, int waiters, int fences, int elections) {
  static final SpaceView UNTOUCHED = new SpaceView(Policy.PLATFORM, 0, 0, 0, 0, 0, 0);

  /** The same with numbers that outlive whatever else a namespace has. */
  SpaceView with(int fenceCount, int electionCount) {
    return new SpaceView(policy, version, leases, sessions, waiters, fenceCount, electionCount);
  }
}
