package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.util.Comparator;
import java.util.List;

/** A wish in line, in the line of each of its keys. */
final class Waiter {
  /**
   * Higher priority first; within one, first come first served. The same in every line, so that
   * sets cannot stand before each other in turn.
   */
  static final Comparator<Waiter> ORDER =
      Comparator.<Waiter>comparingInt(waiter -> -waiter.wish.priority())
          .thenComparingLong(waiter -> waiter.place);

  final Acquire wish;
  final Party party;
  final Session session;
  final Caller caller;
  final List<LeaseKey> keys;
  final long since;
  final long place;
  Tx.Timer timeout;
  boolean inLine;

  /** The position last told; 0 before the first. */
  int told;

  Waiter(
      Acquire wish, Session session, Caller caller, List<LeaseKey> keys, long since, long place) {
    this.wish = wish;
    this.party = wish.party();
    this.session = session;
    this.caller = caller;
    this.keys = keys;
    this.since = since;
    this.place = place;
  }

  Want wantOf(LeaseKey key) {
    return wish.wants().get(keys.indexOf(key));
  }

  /** Nobody listens any more; to grant it the keys would be to lose them for a ttl. */
  boolean isAbandoned() {
    return caller.isGone();
  }

  /** Has every key's line before it to itself, and could have every key. */
  boolean isNext(long now) {
    for (LeaseKey key : keys) {
      if (key.head() != this || !key.isOpenTo(wantOf(key), party, now)) {
        return false;
      }
    }
    return true;
  }
}
