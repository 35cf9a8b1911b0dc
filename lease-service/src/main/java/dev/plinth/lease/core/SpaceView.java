package dev.plinth.lease.core;

/** A namespace's rules and what there is of all they limit. */
public record SpaceView(Policy policy, long version, int leases, int sessions, int waiters) {
  static final SpaceView UNTOUCHED = new SpaceView(Policy.PLATFORM, 0, 0, 0, 0);
}
