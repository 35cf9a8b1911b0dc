package dev.plinth.lease.core;

/** Counts what the gauges would show. */
final class CountedEvents implements LeaseEvents {
  int held;
  int waiting;
  int sessions;
  int deadlocks;

  @Override
  public void acquired(String outcome, long waitedNanos) {}

  @Override
  public void transferred(long nanos) {}

  @Override
  public void joined(int depth) {}

  @Override
  public void deadlocked() {
    deadlocks++;
  }

  @Override
  public void ended(String cause, long heldNanos) {}

  @Override
  public void renewed(boolean kept) {}

  @Override
  public void waiting(int change) {
    waiting += change;
  }

  @Override
  public void held(int change) {
    held += change;
  }

  @Override
  public void sessions(int change) {
    sessions += change;
  }

  @Override
  public void stale() {}
}
