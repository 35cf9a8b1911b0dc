package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Who waits for a key. Only the head of a line is let in, and those behind it who go with it. */
final class Lines {
  /** Gives a key to one that waited for it. */
  interface Grants {
    LeaseView grant(LeaseKey key, Acquire wish, Session session, long waitedNanos, Tx tx);
  }

  private static final int MOST_WAITERS = 10_000;
  // How long a caller whose call broke off keeps its place for a second try.
  static final Duration PATIENCE = Duration.ofSeconds(2);

  private final KeyTable keys;
  private final LeaseEvents events;
  private final Grants grants;

  Lines(KeyTable keys, LeaseEvents events, Grants grants) {
    this.keys = keys;
    this.events = events;
    this.grants = grants;
  }

  void join(LeaseKey key, Waiter waiter, Tx tx) {
    if (key.line.size() >= MOST_WAITERS) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUEUE_FULL,
          "key " + key.name.key(),
          MOST_WAITERS + " wait for " + key.name.key() + " already",
          Duration.ofSeconds(1));
    }
    key.line.add(waiter);
    if (waiter.session != null) {
      waiter.session.waits.add(waiter);
    }
    events.waiting(1);
    waiter.timeout =
        tx.at(tx.nanos() + waiter.wish.patience().toNanos(), later -> timeOut(key, waiter, later));
    promote(key, tx);
  }

  /** False if it did not stand in line any more. */
  boolean leave(LeaseKey key, Waiter waiter) {
    if (!key.line.remove(waiter)) {
      return false;
    }
    waiter.timeout.cancel();
    if (waiter.session != null) {
      waiter.session.waits.remove(waiter);
    }
    events.waiting(-1);
    return true;
  }

  /** The session's waits end with it. */
  void leaveAll(Session session, Tx tx) {
    for (Waiter waiter : List.copyOf(session.waits)) {
      LeaseKey key = keys.find(waiter.wish.name()).orElseThrow();
      leave(key, waiter);
      waiter.reply.fail(tx, Sessions.notOpen(session.id));
      settle(key, tx);
    }
  }

  /** Lets in whoever is first in line, and those behind who go with it. */
  void promote(LeaseKey key, Tx tx) {
    for (Waiter waiter : List.copyOf(key.line)) {
      if (waiter.isAbandoned()) {
        continue;
      }
      if (!key.isOpenTo(waiter.wish, tx.nanos())) {
        return;
      }
      leave(key, waiter);
      long waited = tx.nanos() - waiter.since;
      LeaseView lease = grants.grant(key, waiter.wish, waiter.session, waited, tx);
      waiter.reply.send(tx, new Acquired.Granted(lease));
    }
  }

  /**
   * For callers whose calls have ended. One that may come back with its request id keeps its place
   * for a moment, but is passed over meanwhile.
   */
  void abandon(LeaseKey key, Tx tx) {
    for (Waiter waiter : List.copyOf(key.line)) {
      if (waiter.isAbandoned() && waiter.wish.patient()) {
        tx.at(tx.nanos() + PATIENCE.toNanos(), later -> dropIfAbandoned(key, waiter, later));
      } else {
        dropIfAbandoned(key, waiter, tx);
      }
    }
    settle(key, tx);
  }

  private void dropIfAbandoned(LeaseKey key, Waiter waiter, Tx tx) {
    if (waiter.isAbandoned() && leave(key, waiter)) {
      waiter.reply.fail(
          tx,
          new Failure.Unavailable(
              ErrorReason.ERROR_REASON_CALL_ENDED, "the caller went away", PATIENCE, Map.of()));
      settle(key, tx);
    }
  }

  private void timeOut(LeaseKey key, Waiter waiter, Tx tx) {
    if (leave(key, waiter)) {
      events.acquired("TIMED_OUT", tx.nanos() - waiter.since);
      waiter.reply.send(tx, new Acquired.TimedOut(key.views(tx.nanos())));
      settle(key, tx);
    }
  }

  /** One that left may have stood before others who go with the holders. */
  private void settle(LeaseKey key, Tx tx) {
    promote(key, tx);
    keys.forgetIfUnused(key);
  }
}
