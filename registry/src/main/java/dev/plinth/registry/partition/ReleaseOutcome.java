package dev.plinth.registry.partition;

/** What came of the release of one partition. */
public enum ReleaseOutcome {
  RELEASED,
  NOT_OWNED,
  NOT_REVOKED
}
