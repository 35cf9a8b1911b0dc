package dev.plinth.lease.core;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** How many holds each party has and what it waits for. Who has neither is not here. */
final class OwnerIndex {
  private static final class OwnerEntry {
    int holds;
    Set<Waiter> waits = Set.of();

    /** Waits that nobody but those behind them can wait for, as long as the party holds nothing. */
    Set<Waiter> untangled = Set.of();

    Map<LeaseKey, Integer> waitsByKey = Map.of();
  }

  private final Map<LeaseOwner, OwnerEntry> busy = new HashMap<>();

  void holds(LeaseOwner leaseOwner, int change) {
    OwnerEntry ownerEntry = busy.computeIfAbsent(leaseOwner, p -> new OwnerEntry());
    ownerEntry.holds += change;
    if (ownerEntry.holds > 0 && !ownerEntry.untangled.isEmpty()) {
      ownerEntry.untangled.forEach(Waiter::entangle);
      ownerEntry.untangled = Set.of();
    }
    forgetIfIdle(leaseOwner, ownerEntry);
  }

  void waits(Waiter waiter) {
    OwnerEntry ownerEntry = busy.computeIfAbsent(waiter.leaseOwner, p -> new OwnerEntry());
    if (ownerEntry.waits.isEmpty()) {
      ownerEntry.waits = new LinkedHashSet<>();
      ownerEntry.waitsByKey = new HashMap<>();
    }
    ownerEntry.waits.add(waiter);
    if (ownerEntry.holds > 0 || waiter.keys.size() > 1) {
      waiter.entangle();
    } else {
      ownerEntry.untangled =
          ownerEntry.untangled.isEmpty() ? new LinkedHashSet<>() : ownerEntry.untangled;
      ownerEntry.untangled.add(waiter);
    }
    waiter.keys.forEach(key -> ownerEntry.waitsByKey.merge(key, 1, Integer::sum));
  }

  void waitsNoMore(Waiter waiter) {
    OwnerEntry ownerEntry = busy.get(waiter.leaseOwner);
    ownerEntry.waits.remove(waiter);
    if (!ownerEntry.untangled.isEmpty()) {
      ownerEntry.untangled.remove(waiter);
    }
    waiter.keys.forEach(
        key -> ownerEntry.waitsByKey.computeIfPresent(key, (k, n) -> n == 1 ? null : n - 1));
    forgetIfIdle(waiter.leaseOwner, ownerEntry);
  }

  Set<Waiter> waitsOf(LeaseOwner leaseOwner) {
    OwnerEntry ownerEntry = busy.get(leaseOwner);
    return ownerEntry == null ? Set.of() : ownerEntry.waits;
  }

  boolean isWaiting(LeaseOwner leaseOwner) {
    return !waitsOf(leaseOwner).isEmpty();
  }

  /** How many of a party's waits are for this key. */
  int waitsOn(LeaseOwner leaseOwner, LeaseKey key) {
    OwnerEntry ownerEntry = busy.get(leaseOwner);
    return ownerEntry == null ? 0 : ownerEntry.waitsByKey.getOrDefault(key, 0);
  }

  boolean hasHolds(LeaseOwner leaseOwner) {
    OwnerEntry ownerEntry = busy.get(leaseOwner);
    return ownerEntry != null && ownerEntry.holds > 0;
  }

  private void forgetIfIdle(LeaseOwner leaseOwner, OwnerEntry ownerEntry) {
    if (ownerEntry.holds == 0 && ownerEntry.waits.isEmpty()) {
      busy.remove(leaseOwner);
    }
  }
}
