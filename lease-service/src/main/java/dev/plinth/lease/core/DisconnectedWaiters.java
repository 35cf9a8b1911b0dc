package dev.plinth.lease.core;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Waiters whose calls broke off, by what one that comes back is known by. */
final class DisconnectedWaiters {
  private record Place(LeaseOwner leaseOwner, List<KeyRequest> wants, int priority) {
    static Place of(AcquireSpec wish) {
      return new Place(wish.party(), wish.wants(), wish.priority());
    }
  }

  private final Map<Place, TreeSet<Waiter>> kept = new HashMap<>();

  void add(Waiter waiter) {
    kept.computeIfAbsent(Place.of(waiter.wish), p -> new TreeSet<>(Waiter.ORDER)).add(waiter);
  }

  void remove(Waiter waiter) {
    kept.computeIfPresent(
        Place.of(waiter.wish),
        (place, waiters) -> {
          waiters.remove(waiter);
          return waiters.isEmpty() ? null : waiters;
        });
  }

  /** The first in line that wished for the same; null if there is none. */
  Waiter of(AcquireSpec wish) {
    TreeSet<Waiter> waiters = kept.get(Place.of(wish));
    return waiters == null ? null : waiters.first();
  }
}
