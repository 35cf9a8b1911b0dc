package dev.plinth.shards;

/** How a call that was passed on to the owner of its shard ended. */
public enum ForwardOutcome {
  OK,
  /** The owner refused it. */
  REFUSED,
  /** The node it was passed to was not the owner. */
  MOVED,
  /** The owner did not answer. */
  LOST
}
