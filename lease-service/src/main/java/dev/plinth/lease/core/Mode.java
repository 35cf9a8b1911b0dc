package dev.plinth.lease.core;

/** What holders of one key tolerate beside them. */
public enum Mode {
  EXCLUSIVE,
  SHARED;

  boolean goesWith(Mode other) {
    return this == SHARED && other == SHARED;
  }
}
