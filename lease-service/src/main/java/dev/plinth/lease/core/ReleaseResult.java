package dev.plinth.lease.core;

/** What a release found. */
public enum ReleaseResult {
  RELEASED,
  STILL_HELD,
  NOT_HELD
}
