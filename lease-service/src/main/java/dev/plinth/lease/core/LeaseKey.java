package dev.plinth.lease.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** One key: its holders, who waits for it, and whether a lost holder still bars it. */
final class LeaseKey {
  final LeaseName name;
  final Space space;
  final List<Hold> holds = new ArrayList<>();
  final TreeSet<Waiter> line = new TreeSet<>(Waiter.ORDER);

  /**
   * Whose loss bars the key, for how long in all, and until when; the owner itself is not barred.
   */
  String lostOwner = "";

  Duration lostDelay = Duration.ZERO;
  long barredUntil;

  /** How many in line want to know their position. */
  int listeners;

  /** When the last hold ended, to tell how long a hand-off took. */
  long freedAt;

  LeaseKey(LeaseName name, Space space) {
    this.name = name;
    this.space = space;
  }

  Optional<Hold> hold(long token) {
    return holds.stream().filter(hold -> hold.token == token).findFirst();
  }

  /** What the party would enter once more; a semaphore's holds are not entered. */
  Optional<Hold> enterable(Party party, Mode mode) {
    return mode == Mode.SEMAPHORE
        ? Optional.empty()
        : holds.stream()
            .filter(hold -> hold.mode != Mode.SEMAPHORE && hold.isOf(party))
            .findFirst();
  }

  /** Whether the party could have it now, were it first in line. */
  boolean isOpenTo(Want want, Party party, long now) {
    return !bars(party.ownerId(), now) && blockers(want, party).findAny().isEmpty();
  }

  /** The holds that would have to end first. */
  private Stream<Hold> blockers(Want want, Party party) {
    return inTheWayOf(want).filter(hold -> hold.mode == Mode.SEMAPHORE || !hold.isOf(party));
  }

  /** Whoever's they are. */
  Stream<Hold> inTheWayOf(Want want) {
    boolean full =
        want.mode() == Mode.SEMAPHORE
            && taken() + want.weight() > space.policy().capacityOf(name.key()).orElse(0);
    return holds.stream().filter(hold -> full || !hold.mode.goesWith(want.mode()));
  }

  private int taken() {
    return holds.stream().mapToInt(hold -> hold.weight).sum();
  }

  /** The first in line whose caller still listens; null if there is none. */
  Waiter head() {
    for (Waiter waiter : line) {
      if (!waiter.isAbandoned()) {
        return waiter;
      }
    }
    return null;
  }

  /** Counted from 1, without those whose callers are gone. */
  int positionOf(Waiter waiter) {
    return 1 + (int) line.headSet(waiter).stream().filter(w -> !w.isAbandoned()).count();
  }

  /** Where a newcomer would stand. */
  int positionOfNext(int priority) {
    return 1
        + (int)
            line.stream().filter(w -> !w.isAbandoned() && w.wish.priority() >= priority).count();
  }

  boolean bars(String owner, long now) {
    return isBarred(now) && !owner.equals(lostOwner);
  }

  boolean isBarred(long now) {
    return !lostDelay.isZero() && barredUntil - now > 0;
  }

  void bar(String owner, Duration delay, long now) {
    lostOwner = owner;
    lostDelay = delay;
    barredUntil = now + delay.toNanos();
  }

  void unbar() {
    lostOwner = "";
    lostDelay = Duration.ZERO;
  }

  /** Nothing is left of it but who waits. */
  boolean isFree() {
    return holds.isEmpty() && lostDelay.isZero();
  }

  List<LeaseView> views(long now) {
    return holds.stream().map(hold -> hold.view(now)).toList();
  }

  KeyView view(long now) {
    return new KeyView(
        views(now),
        line.stream()
            .map(w -> new KeyView.InLine(w.wish, w.wantOf(this), Duration.ofNanos(now - w.since)))
            .toList(),
        Duration.ofNanos(isBarred(now) ? barredUntil - now : 0));
  }
}
