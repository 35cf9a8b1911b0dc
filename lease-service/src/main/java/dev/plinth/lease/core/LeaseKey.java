package dev.plinth.lease.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** One key: its holders, who waits for it, and whether a lost holder still bars it. */
final class LeaseKey {
  final LeaseName name;
  final List<Hold> holds = new ArrayList<>();
  final TreeSet<Waiter> line = new TreeSet<>(Waiter.ORDER);

  /**
   * Whose loss bars the key, for how long in all, and until when; the owner itself is not barred.
   */
  String lostOwner = "";

  Duration lostDelay = Duration.ZERO;
  long barredUntil;
  boolean stored;

  LeaseKey(LeaseName name) {
    this.name = name;
  }

  Optional<Hold> hold(long token) {
    return holds.stream().filter(hold -> hold.token == token).findFirst();
  }

  Optional<Hold> holdOf(Acquire wish) {
    return holds.stream().filter(hold -> hold.isOf(wish)).findFirst();
  }

  boolean admits(Mode mode) {
    return holds.stream().allMatch(hold -> hold.mode.goesWith(mode));
  }

  boolean isOpenTo(Acquire wish, long now) {
    return admits(wish.mode()) && !bars(wish.ownerId(), now);
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

  /** Nothing is left that a row would have to keep. */
  boolean isFree() {
    return holds.isEmpty() && lostDelay.isZero();
  }

  List<LeaseView> views(long now) {
    return holds.stream().map(hold -> hold.view(name, now)).toList();
  }

  KeyView view(long now) {
    return new KeyView(
        views(now),
        line.stream()
            .map(w -> new KeyView.InLine(w.wish, Duration.ofNanos(now - w.since)))
            .toList(),
        Duration.ofNanos(isBarred(now) ? barredUntil - now : 0));
  }
}
