package dev.plinth.client.election;

import dev.plinth.lease.v1.Leader;

/**
 * Hears of an election, one call after the other and in order: terms rise one by one, none is left
 * out and none comes twice, except where {@link #onGap} says so.
 */
public interface LeaderListener {
  /** A new term. */
  void onLeader(Leader leader);

  /** The leader of the term has ended and nobody leads; 0 if nobody ever did. */
  void onNoLeader(long term);

  /** The leader has proclaimed another value. If several came while it was away, only the last. */
  default void onValue(Leader leader) {}

  /** What happened since the last call is not known to the server any more; what is now follows. */
  default void onGap() {}
}
