package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** A wish in line, in the queue of each of its keys. */
final class Waiter {
  /**
   * How long a waiter of a lower priority has to wait to stand before one that is a level higher
   * and comes now. So priorities age: the lowest one, two hundred levels down, waits half an hour
   * more at worst.
   */
  static final Duration PRIORITY_STEP = Duration.ofSeconds(10);

  /**
   * By arrival, moved ahead by the priority; the same in every queue and for as long as it waits,
   * so that sets cannot stand before each other in turn and no queue is ever sorted anew.
   */
  static final Comparator<Waiter> ORDER =
      (one, other) -> compare(one.rank, one.place, other.rank, other.place);

  final AcquireSpec spec;
  final LeaseOwner leaseOwner;
  final Session session;
  final AcquireListener acquireListener;
  final List<LeaseKey> keys;
  final long since;
  final long rank;
  final long place;

  /** Null if it waits for as long as its caller listens. */
  Tx.Timer timeout;

  /** Set while its call is over and its place is kept. */
  Tx.Timer keptUntil;

  boolean inLine;

  /** The position last told; 0 before the first. */
  int told;

  private boolean away;
  private boolean entangled;

  Waiter(
      AcquireSpec spec,
      Session session,
      AcquireListener acquireListener,
      List<LeaseKey> keys,
      long since,
      long place) {
    this.spec = spec;
    this.leaseOwner = spec.party();
    this.session = session;
    this.acquireListener = acquireListener;
    this.keys = keys;
    this.since = since;
    this.rank = rank(since, spec.priority());
    this.place = place;
  }

  static long rank(long since, int priority) {
    return since - priority * PRIORITY_STEP.toNanos();
  }

  /** Ranks are points of the monotonic clock: only their difference means anything. */
  static int compare(long rank, long place, long otherRank, long otherPlace) {
    int byRank = Long.signum(rank - otherRank);
    return byRank == 0 ? Long.compare(place, otherPlace) : byRank;
  }

  KeyRequest requestOf(LeaseKey key) {
    return spec.wants().get(keys.indexOf(key));
  }

  /** Nobody listens any more; to grant it the keys would be to lose them for a ttl. */
  boolean isAbandoned() {
    return acquireListener.isGone();
  }

  /**
   * Whether others than those behind it may wait for it: it stands in several queues, or its party
   * held something while it waited. Only such a one can close a circle with one that joins ahead of
   * it. It stays so until it leaves.
   */
  boolean isEntangled() {
    return entangled;
  }

  void entangle() {
    if (!entangled) {
      entangled = true;
      keys.forEach(key -> key.queue.entangled(this));
    }
  }

  /** Its place is kept, but it is passed over. */
  boolean isDisconnected() {
    return away;
  }

  /**
   * Moves it, in the queue of each of its keys, to those who listen or those who are passed over.
   */
  void setDisconnected(boolean now) {
    if (away != now) {
      keys.forEach(key -> key.queue.remove(this));
      away = now;
      keys.forEach(key -> key.queue.add(this));
    }
  }
}
