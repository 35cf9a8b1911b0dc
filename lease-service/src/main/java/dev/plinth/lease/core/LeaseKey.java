package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One key: its holders, who waits for it, and whether lost holders still bar it. */
final class LeaseKey {
  /** Holders shown where a whole key is asked for; their number is told beside them. */
  static final int MAX_SHOWN = 100;

  final LeaseName name;
  final LeaseNamespace leaseNamespace;
  final Holders holders = new Holders();
  final WaitQueue queue = new WaitQueue();
  final LockDelay lockDelay = new LockDelay();

  /** How many in line want to know their position. */
  int listeners;

  /** When the last hold ended, to tell how long a hand-off took. */
  long freedAt;

  /** Lifts its lock-delay; null before the first. */
  Tx.Timer lockDelayTimer;

  private boolean countedAsBarred;

  LeaseKey(LeaseName name, LeaseNamespace leaseNamespace) {
    this.name = name;
    this.leaseNamespace = leaseNamespace;
  }

  Optional<Hold> hold(long token) {
    return Optional.ofNullable(holders.get(token));
  }

  /** What the party would enter once more; a semaphore's holds are not entered. */
  Optional<Hold> enterable(LeaseOwner leaseOwner, LeaseMode leaseMode) {
    return leaseMode == LeaseMode.SEMAPHORE
        ? Optional.empty()
        : Optional.ofNullable(holders.of(leaseOwner));
  }

  /** Whether the party could have it now, were it first in line. */
  boolean isOpenTo(KeyRequest keyRequest, LeaseOwner leaseOwner, long now) {
    return !lockDelay.bars(leaseOwner.ownerId(), now) && hasRoomFor(keyRequest, leaseOwner);
  }

  private boolean hasRoomFor(KeyRequest keyRequest, LeaseOwner leaseOwner) {
    if (keyRequest.leaseMode() == LeaseMode.SEMAPHORE) {
      // Also where nothing is held: a weight above the capacity never fits.
      return holders.allGoWith(LeaseMode.SEMAPHORE)
          && holders.weight() + keyRequest.weight() <= capacity();
    }
    // Its own hold is not in its way, but a second one would be beside an exclusive one.
    return holders.allGoWith(keyRequest.leaseMode())
        || holders.size() == 1 && holders.of(leaseOwner) != null;
  }

  int capacity() {
    return leaseNamespace.policy().capacityOf(name.key()).orElse(0);
  }

  /** The holds that a wish does not go with, whoever's they are. */
  Stream<Hold> inTheWayOf(KeyRequest keyRequest) {
    return holders.allGoWith(keyRequest.leaseMode())
        ? Stream.empty()
        : holders.stream().filter(hold -> !hold.leaseMode.isCompatibleWith(keyRequest.leaseMode()));
  }

  /** Nobody holds it, but lost holders bar it: it has a row, and counts as a lease. */
  boolean isOnlyBarred() {
    return holders.isEmpty() && !lockDelay.isNone();
  }

  /** To be told after each change of its holders or its delay. */
  void countBarred() {
    if (countedAsBarred != isOnlyBarred()) {
      countedAsBarred = !countedAsBarred;
      leaseNamespace.barred += countedAsBarred ? 1 : -1;
    }
  }

  /** Nothing is left of it but who waits. */
  boolean isFree() {
    return holders.isEmpty() && lockDelay.isNone();
  }

  /** The first of its holds, up to so many. */
  List<LeaseView> views(long now, int most) {
    return holders.stream().limit(most).map(hold -> hold.view(now)).toList();
  }

  KeyView view(long now) {
    return new KeyView(views(now, MAX_SHOWN), holders.size(), queue.size(), lockDelay.left(now));
  }

  WaitersView waiters(long now, int most) {
    return new WaitersView(
        queue.first(most).stream()
            .map(
                waiter ->
                    new WaitersView.InLine(
                        waiter.spec, waiter.requestOf(this), Duration.ofNanos(now - waiter.since)))
            .toList(),
        queue.size());
  }
}
