package dev.plinth.registry.core;

/** What became of a call that untracks a device. */
public enum UntrackResult {
  LEFT,
  GONE,
  STALE
}
