package dev.plinth.lease.core;

/** What holders of one key tolerate beside them. */
public enum Mode {
  EXCLUSIVE,
  SHARED,
  /** As many as their weights allow; each hold is one of its own, even of the same owner. */
  SEMAPHORE;

  boolean goesWith(Mode other) {
    return this == other && this != EXCLUSIVE;
  }
}
