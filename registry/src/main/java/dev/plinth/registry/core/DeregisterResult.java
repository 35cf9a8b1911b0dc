package dev.plinth.registry.core;

/** What came of a deregistration. */
public enum DeregisterResult {
  LEFT,
  /** There is no such member, or no longer. */
  GONE,
  /** Another session or incarnation has the name. */
  SUPERSEDED
}
