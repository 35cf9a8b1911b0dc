package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Why a wish cannot be granted now.
 *
 * @param holders the first of those that have the keys it cannot have
 * @param holderCount how many these are in all
 * @param barredFor the longest time that a lost holder's lock-delay still runs, if that is all that
 *     is in the way
 */
record Blocked(List<LeaseView> holders, int holderCount, List<String> keys, Duration barredFor) {
  /** Holders told to one that cannot have a key; their number is told beside them. */
  static final int MOST_HOLDERS = 16;

  /** Some of a key's holders, and how many there are. */
  record Shown(List<LeaseView> leases, int total) {}

  static Shown holders(LeaseKey key, Tx tx) {
    return new Shown(key.views(tx.nanos(), MOST_HOLDERS), key.holders.size());
  }

  /**
   * Of one that comes now: whoever waits and listens is before it, but not for a key that it holds,
   * since they wait for this very owner.
   */
  static Blocked of(Acquire wish, List<LeaseKey> keys, long now) {
    return of(wish, keys, key -> key.queue.first() != null && !isOwn(key, wish, keys), now);
  }

  private static boolean isOwn(LeaseKey key, Acquire wish, List<LeaseKey> keys) {
    Mode mode = wish.wants().get(keys.indexOf(key)).mode();
    return key.enterable(wish.party(), mode).isPresent();
  }

  static Blocked of(Waiter waiter, long now) {
    return of(waiter.wish, waiter.keys, key -> key.queue.first() != waiter, now);
  }

  private static Blocked of(
      Acquire wish, List<LeaseKey> keys, Predicate<LeaseKey> behindOthers, long now) {
    Party party = wish.party();
    List<LeaseView> holders = new ArrayList<>();
    List<String> blocking = new ArrayList<>();
    int holderCount = 0;
    long barred = 0;
    boolean others = false;
    for (int i = 0; i < keys.size(); i++) {
      LeaseKey key = keys.get(i);
      long barredFor = key.lockDelay.leftFor(party.ownerId(), now);
      boolean open = key.isOpenTo(wish.wants().get(i), party, now);
      if (!open || behindOthers.test(key)) {
        blocking.add(key.name.key());
        holders.addAll(key.views(now, MOST_HOLDERS - holders.size()));
        holderCount += key.holders.size();
        barred = Math.max(barred, barredFor);
        others |= barredFor == 0 || !key.holders.isEmpty();
      }
    }
    Duration barredFor = Duration.ofNanos(others ? 0 : barred);
    return new Blocked(holders, holderCount, blocking, barredFor);
  }

  boolean isNone() {
    return keys.isEmpty();
  }
}
