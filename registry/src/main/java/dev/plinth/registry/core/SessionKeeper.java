package dev.plinth.registry.core;

import dev.plinth.shards.Tx;

/** A stream that brings the beats of a session. */
public interface SessionKeeper {
  /** The session has ended, by this transaction. */
  void ended(Tx tx);
}
