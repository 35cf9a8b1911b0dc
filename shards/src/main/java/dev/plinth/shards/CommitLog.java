package dev.plinth.shards;

import dev.plinth.shards.store.Write;

/**
 * A log whose entries of one commit share one row, however many commands added them. A store pays
 * by the row.
 */
public interface CommitLog {
  /** Takes an entry into memory; it belongs to the commit that is being gathered. */
  void add(byte[] entry);

  /** The row with all that was added since the last call; its commit takes no more. */
  Write seal();

  /** Bytes that the commit's row has before its first entry: what it keeps of earlier commits. */
  int carriedBytes();
}
