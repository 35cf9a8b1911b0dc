package dev.plinth.registry.core;

import dev.plinth.shards.Tx;

/** Learns of sessions that end, in the transaction that ends them. */
@FunctionalInterface
public interface SessionEndListener {
  /**
   * A session was silent for two ttls, or closed. Members of one that was silent may still be held
   * back, and if it is heard of meanwhile it goes on.
   *
   * @param expired whether it was silent
   */
  void ended(SessionKey session, boolean expired, Tx tx);
}
