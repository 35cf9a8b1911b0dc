package dev.plinth.lease.core;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Waiters whose calls broke off, by what one that comes back is known by. */
final class DisconnectedWaiters {
  private record Place(LeaseOwner leaseOwner, List<KeyRequest> wants, int priority) {
    static Place of(AcquireSpec spec) {
      return new Place(spec.party(), spec.wants(), spec.priority());
    }
  }

  private final Map<Place, TreeSet<Waiter>> kept = new HashMap<>();

  void add(Waiter waiter) {
    kept.computeIfAbsent(Place.of(waiter.spec), p -> new TreeSet<>(Waiter.ORDER)).add(waiter);
  }

  void remove(Waiter waiter) {
    kept.computeIfPresent(
        Place.of(waiter.spec),
        (place, waiters) -> {
          waiters.remove(waiter);
          return waiters.isEmpty() ? null : waiters;
        });
  }

  /** The first in line that wished for the same; null if there is none. */
  Waiter of(AcquireSpec spec) {
    TreeSet<Waiter> waiters = kept.get(Place.of(spec));
    return waiters == null ? null : waiters.first();
  }
}
