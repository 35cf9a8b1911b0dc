package dev.plinth.shards.request;

import dev.plinth.shards.Tx;

/** A transaction whose answer may be remembered: it tells at its end whether it had an effect. */
public interface RecordedTx extends Tx {
  /** Runs when the command is done and its own writes are known; may add to them. */
  void beforeCommit(Runnable step);

  /** Whether it has changed anything so far. */
  boolean isDirty();
}
