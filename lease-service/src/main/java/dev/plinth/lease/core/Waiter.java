package dev.plinth.lease.core;

import dev.plinth.shards.Reply;
import dev.plinth.shards.Tx;
import java.util.Comparator;

/** A wish in line. */
final class Waiter {
  /** Higher priority first; within one, first come first served. */
  static final Comparator<Waiter> ORDER =
      Comparator.<Waiter>comparingInt(waiter -> -waiter.wish.priority())
          .thenComparingLong(waiter -> waiter.place);

  final Acquire wish;
  final Session session;
  final Reply<Acquired> reply;
  final long since;
  private final long place;
  Tx.Timer timeout;

  Waiter(Acquire wish, Session session, Reply<Acquired> reply, long since, long place) {
    this.wish = wish;
    this.session = session;
    this.reply = reply;
    this.since = since;
    this.place = place;
  }

  /** Nobody listens any more; to grant it the key would be to lose the key for a ttl. */
  boolean isAbandoned() {
    return reply.isAbandoned();
  }
}
