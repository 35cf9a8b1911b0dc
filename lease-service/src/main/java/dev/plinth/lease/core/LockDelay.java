package dev.plinth.lease.core;

import java.time.Duration;

/**
 * For how long lost holders bar a key. Each bars it for everybody but its own owner, so that a
 * successor may reclaim it. Two deadlines say all of it, however many were lost: the latest one
 * with its owner, and the latest one of all other owners.
 */
final class LockDelay {
  private String owner = "";
  private Duration delay = Duration.ZERO;
  private long until;
  private Duration othersDelay = Duration.ZERO;
  private long othersUntil;

  /** A holder was lost: its delay counts from now, beside those that run already. */
  void start(String lost, Duration full, long now) {
    long end = now + full.toNanos();
    boolean later = delay.isZero() || end - until > 0;
    if (lost.equals(owner) || delay.isZero()) {
      owner = lost;
    } else if (later) {
      startOthers(delay, until);
      owner = lost;
    } else {
      startOthers(full, end);
      return;
    }
    if (later) {
      delay = full;
      until = end;
    }
  }

  private void startOthers(Duration full, long end) {
    if (othersDelay.isZero() || end - othersUntil > 0) {
      othersDelay = full;
      othersUntil = end;
    }
  }

  /** As it was stored; {@link #restart} makes it count. */
  void restore(String lost, Duration full, Duration others) {
    owner = lost;
    delay = full;
    othersDelay = others;
  }

  /** After a change of owner all count in full again. */
  void restart(long now) {
    until = now + delay.toNanos();
    othersUntil = now + othersDelay.toNanos();
  }

  /** The lost owner is back, so its own loss bars nobody any more. */
  void reclaim(String by) {
    if (by.equals(owner)) {
      owner = "";
      delay = Duration.ZERO;
    }
  }

  void clear() {
    owner = "";
    delay = Duration.ZERO;
    othersDelay = Duration.ZERO;
  }

  boolean bars(String who, long now) {
    return leftFor(who, now) > 0;
  }

  /** Nanoseconds until this owner may have the key; 0 if it may. */
  long leftFor(String who, long now) {
    long others = othersDelay.isZero() ? 0 : Math.max(0, othersUntil - now);
    boolean own = who.equals(owner) || delay.isZero();
    return own ? others : Math.max(others, Math.max(0, until - now));
  }

  /** Until anybody may have it. */
  Duration left(long now) {
    long own = delay.isZero() ? 0 : Math.max(0, until - now);
    long others = othersDelay.isZero() ? 0 : Math.max(0, othersUntil - now);
    return Duration.ofNanos(Math.max(own, others));
  }

  /** When it ends for some owner that it still bars; now if it bars nobody. */
  long nextEnd(long now) {
    long own = delay.isZero() ? 0 : Math.max(0, until - now);
    long others = othersDelay.isZero() ? 0 : Math.max(0, othersUntil - now);
    boolean both = own > 0 && others > 0;
    return now + (both ? Math.min(own, others) : Math.max(own, others));
  }

  /** Nothing is stored of it. */
  boolean isNone() {
    return delay.isZero() && othersDelay.isZero();
  }

  String owner() {
    return owner;
  }

  Duration delay() {
    return delay;
  }

  Duration othersDelay() {
    return othersDelay;
  }
}
