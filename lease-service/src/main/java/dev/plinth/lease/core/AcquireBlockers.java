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
record AcquireBlockers(
    List<LeaseView> holders, int holderCount, List<String> keys, Duration barredFor) {
  /** Holders told to one that cannot have a key; their number is told beside them. */
  static final int MAX_HOLDERS = 16;

  /** Some of a key's holders, and how many there are. */
  record Shown(List<LeaseView> leases, int total) {}

  static Shown holders(LeaseKey key, Tx tx) {
    return new Shown(key.views(tx.nanos(), MAX_HOLDERS), key.holders.size());
  }

  /**
   * Of one that comes now: whoever waits and listens is before it, but not for a key that it holds,
   * since they wait for this very owner.
   */
  static AcquireBlockers of(AcquireSpec spec, List<LeaseKey> keys, long now) {
    return of(spec, keys, key -> key.queue.first() != null && !isOwn(key, spec, keys), now);
  }

  private static boolean isOwn(LeaseKey key, AcquireSpec spec, List<LeaseKey> keys) {
    LeaseMode leaseMode = spec.wants().get(keys.indexOf(key)).leaseMode();
    return key.enterable(spec.party(), leaseMode).isPresent();
  }

  static AcquireBlockers of(Waiter waiter, long now) {
    return of(waiter.spec, waiter.keys, key -> key.queue.first() != waiter, now);
  }

  private static AcquireBlockers of(
      AcquireSpec spec, List<LeaseKey> keys, Predicate<LeaseKey> behindOthers, long now) {
    LeaseOwner leaseOwner = spec.party();
    List<LeaseView> holders = new ArrayList<>();
    List<String> blocking = new ArrayList<>();
    int holderCount = 0;
    long barred = 0;
    boolean others = false;
    for (int i = 0; i < keys.size(); i++) {
      LeaseKey key = keys.get(i);
      long barredFor = key.lockDelay.leftFor(leaseOwner.ownerId(), now);
      boolean open = key.isOpenTo(spec.wants().get(i), leaseOwner, now);
      if (!open || behindOthers.test(key)) {
        blocking.add(key.name.key());
        holders.addAll(key.views(now, MAX_HOLDERS - holders.size()));
        holderCount += key.holders.size();
        barred = Math.max(barred, barredFor);
        others |= barredFor == 0 || !key.holders.isEmpty();
      }
    }
    Duration barredFor = Duration.ofNanos(others ? 0 : barred);
    return new AcquireBlockers(holders, holderCount, blocking, barredFor);
  }

  boolean isNone() {
    return keys.isEmpty();
  }
}
