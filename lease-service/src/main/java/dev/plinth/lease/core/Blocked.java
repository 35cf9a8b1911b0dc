package dev.plinth.lease.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Why a wish cannot be granted now.
 *
 * @param holders of the keys that it cannot have
 * @param barredFor the longest time that a lost holder's lock-delay still runs, if that is all that
 *     is in the way
 */
record Blocked(List<LeaseView> holders, List<String> keys, Duration barredFor) {
  /**
   * Of one that comes now: whoever waits and listens is before it, but not for a key that it holds,
   * since they wait for this very owner.
   */
  static Blocked of(Acquire wish, List<LeaseKey> keys, long now) {
    return of(wish, keys, key -> key.head() != null && !isOwn(key, wish, keys), now);
  }

  private static boolean isOwn(LeaseKey key, Acquire wish, List<LeaseKey> keys) {
    Mode mode = wish.wants().get(keys.indexOf(key)).mode();
    return key.enterable(wish.party(), mode).isPresent();
  }

  static Blocked of(Waiter waiter, long now) {
    return of(waiter.wish, waiter.keys, key -> key.head() != waiter, now);
  }

  private static Blocked of(
      Acquire wish, List<LeaseKey> keys, Predicate<LeaseKey> behindOthers, long now) {
    Party party = wish.party();
    List<LeaseView> holders = new ArrayList<>();
    List<String> blocking = new ArrayList<>();
    long barred = 0;
    boolean others = false;
    for (int i = 0; i < keys.size(); i++) {
      LeaseKey key = keys.get(i);
      boolean bars = key.bars(party.ownerId(), now);
      boolean open = key.isOpenTo(wish.wants().get(i), party, now);
      if (!open || behindOthers.test(key)) {
        blocking.add(key.name.key());
        holders.addAll(key.views(now));
        barred = bars ? Math.max(barred, key.barredUntil - now) : barred;
        others |= !bars || !key.holds.isEmpty();
      }
    }
    return new Blocked(holders, blocking, Duration.ofNanos(others ? 0 : barred));
  }

  boolean isNone() {
    return keys.isEmpty();
  }
}
