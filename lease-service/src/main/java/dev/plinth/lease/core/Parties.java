package dev.plinth.lease.core;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** How many holds each party has and what it waits for. Who has neither is not here. */
final class Parties {
  private static final class Business {
    int holds;
    final Set<Waiter> waits = new LinkedHashSet<>();
  }

  private final Map<Party, Business> busy = new HashMap<>();

  void holds(Party party, int change) {
    Business business = busy.computeIfAbsent(party, p -> new Business());
    business.holds += change;
    forgetIfIdle(party, business);
  }

  void waits(Waiter waiter) {
    busy.computeIfAbsent(waiter.party, p -> new Business()).waits.add(waiter);
  }

  void waitsNoMore(Waiter waiter) {
    Business business = busy.get(waiter.party);
    business.waits.remove(waiter);
    forgetIfIdle(waiter.party, business);
  }

  Set<Waiter> waitsOf(Party party) {
    Business business = busy.get(party);
    return business == null ? Set.of() : business.waits;
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
