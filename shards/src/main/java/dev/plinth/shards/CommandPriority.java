package dev.plinth.shards;

/** How a command queues. */
public enum CommandPriority {
  /** Renewals and releases: they go first and have room when others are refused. */
  URGENT,
  NORMAL
}
