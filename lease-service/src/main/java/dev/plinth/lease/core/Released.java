package dev.plinth.lease.core;

/** What a release found. */
public enum Released {
  RELEASED,
  STILL_HELD,
  NOT_HELD
}
