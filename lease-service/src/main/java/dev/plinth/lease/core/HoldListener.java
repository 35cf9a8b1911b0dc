package dev.plinth.lease.core;

import dev.plinth.shards.Tx;

/** One who listens to the news of a hold or session for as long as it lasts. */
public interface HoldListener {
  void onEvent(HoldEvent holdEvent, Tx tx);

  /** Nobody listens any more. */
  boolean isGone();
}
