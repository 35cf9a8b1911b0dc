package dev.plinth.lease.core;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** How many holds each party has and what it waits for. Who has neither is not here. */
final class Parties {
  private static final class Business {
    int holds;
    Set<Waiter> waits = Set.of();
    Map<LeaseKey, Integer> waitsByKey = Map.of();
  }

  private final Map<Party, Business> busy = new HashMap<>();

  void holds(Party party, int change) {
    Business business = busy.computeIfAbsent(party, p -> new Business());
    business.holds += change;
    forgetIfIdle(party, business);
  }

  void waits(Waiter waiter) {
    Business business = busy.computeIfAbsent(waiter.party, p -> new Business());
    if (business.waits.isEmpty()) {
      business.waits = new LinkedHashSet<>();
      business.waitsByKey = new HashMap<>();
    }
    business.waits.add(waiter);
    waiter.keys.forEach(key -> business.waitsByKey.merge(key, 1, Integer::sum));
  }

  void waitsNoMore(Waiter waiter) {
    Business business = busy.get(waiter.party);
    business.waits.remove(waiter);
    waiter.keys.forEach(
        key -> business.waitsByKey.computeIfPresent(key, (k, n) -> n == 1 ? null : n - 1));
    forgetIfIdle(waiter.party, business);
  }

  Set<Waiter> waitsOf(Party party) {
    Business business = busy.get(party);
    return business == null ? Set.of() : business.waits;
  }

  boolean isWaiting(Party party) {
    return !waitsOf(party).isEmpty();
  }

  /** How many of a party's waits are for this key. */
  int waitsOn(Party party, LeaseKey key) {
    Business business = busy.get(party);
    return business == null ? 0 : business.waitsByKey.getOrDefault(key, 0);
  }

  boolean hasHolds(Party party) {
    Business business = busy.get(party);
    return business != null && business.holds > 0;
  }

  private void forgetIfIdle(Party party, Business business) {
    if (business.holds == 0 && business.waits.isEmpty()) {
      busy.remove(party);
    }
  }
}
