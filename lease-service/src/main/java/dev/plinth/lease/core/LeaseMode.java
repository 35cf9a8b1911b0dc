package dev.plinth.lease.core;

/** What holders of one key tolerate beside them. */
public enum LeaseMode {
  EXCLUSIVE,
  SHARED,
  /** As many as their weights allow; each hold is one of its own, even of the same owner. */
  SEMAPHORE;

  boolean isCompatibleWith(LeaseMode other) {
    return this == other && this != EXCLUSIVE;
  }
}
