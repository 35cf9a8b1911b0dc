package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds waits that wait for each other in a circle. One that waits needs those before it in line to
 * be served, and the holders that its modes do not go with to let go; and a party that waits for
 * anything lets go of nothing. Of a full semaphore any holder may let go, so its holders are not
 * counted: such a wait ends by its own time.
 */
final class DeadlockDetector {
  private final OwnerIndex ownerIndex;
  private long visits;

  DeadlockDetector(OwnerIndex ownerIndex) {
    this.ownerIndex = ownerIndex;
  }

  /**
   * Whether it may be in a circle: it holds something that others may wait for, or stands before
   * one that others wait for. Those behind it that nobody else waits for are in no circle.
   */
  boolean mayCloseCircle(Waiter waiter) {
    return ownerIndex.hasHolds(waiter.leaseOwner)
        || waiter.keys.stream().anyMatch(key -> key.queue.hasEntangledBehind(waiter));
  }

  /** Waiters that all searches so far have looked at: what they cost. */
  long visits() {
    return visits;
  }

  /** The waiters of a circle that this one is in, itself first; empty if there is none. */
  List<Waiter> findCycle(Waiter start) {
    return new Search(start.leaseOwner, List.of(start), start).run();
  }

  /**
   * The waiters of a circle that goes through a hold of this party, one of its own waits first;
   * empty if there is none. One search for all its waits: whoever waits for one of its holds waits
   * for all that the party waits for.
   */
  List<Waiter> findCycleThrough(LeaseOwner leaseOwner) {
    return new Search(leaseOwner, List.copyOf(ownerIndex.waitsOf(leaseOwner)), null).run();
  }

  static Failure failure(List<Waiter> circle) {
    List<String> hops = new ArrayList<>();
    for (Waiter waiter : circle) {
      List<String> keys = waiter.keys.stream().map(key -> key.name.key()).toList();
      hops.add(waiter.leaseOwner.ownerId() + " waits for " + String.join("+", keys));
    }
    String cycle = String.join(", ", hops);
    return new Failure.Conflict(
        ErrorReason.ERROR_REASON_DEADLOCK,
        "a wait that could not end: " + cycle,
        Map.of("cycle", cycle));
  }

  /** Breadth first, every line and holder looked at once. */
  private final class Search {
    private final LeaseOwner leaseOwner;
    private final Waiter start;
    private final Map<Waiter, Waiter> cameFrom = new LinkedHashMap<>();
    private final ArrayDeque<Waiter> todo = new ArrayDeque<>();
    private final Map<LeaseKey, Integer> seenTo = new HashMap<>();
    private final Map<List<Object>, Set<LeaseOwner>> holdersLeft = new HashMap<>();
    private Waiter last;

    /** A circle ends at the start, or without one at a waiter that a hold of the party blocks. */
    Search(LeaseOwner leaseOwner, List<Waiter> from, Waiter start) {
      this.leaseOwner = leaseOwner;
      this.start = start;
      todo.addAll(from);
      from.forEach(waiter -> cameFrom.put(waiter, null));
    }

    List<Waiter> run() {
      while (!todo.isEmpty() && last == null) {
        Waiter waiter = todo.poll();
        waiter.keys.forEach(key -> lookAt(key, waiter));
      }
      List<Waiter> circle = new ArrayList<>();
      for (Waiter waiter = last; waiter != null; waiter = cameFrom.get(waiter)) {
        circle.add(0, waiter);
      }
      return circle;
    }

    private void lookAt(LeaseKey key, Waiter waiter) {
      KeyRequest keyRequest = waiter.requestOf(key);
      if (keyRequest.leaseMode() != LeaseMode.SEMAPHORE) {
        Set<LeaseOwner> holders =
            holdersLeft.computeIfAbsent(
                List.of(key, keyRequest.leaseMode()), k -> inTheWayOf(keyRequest, key));
        // One's own hold is not in one's way, but in that of others.
        for (LeaseOwner holder : List.copyOf(holders)) {
          if (!holder.equals(waiter.leaseOwner) && holders.remove(holder)) {
            if (start == null && holder.equals(leaseOwner)) {
              last = waiter;
              return;
            }
            ownerIndex.waitsOf(holder).forEach(next -> reach(next, waiter));
          }
        }
      }
      // Of every queue each position once: who was looked at needs those before it, too.
      int position = key.queue.positionOf(waiter);
      int seen = seenTo.getOrDefault(key, 1);
      if (position > seen) {
        seenTo.put(key, position);
        key.queue.visit(seen, position, (ahead, at) -> reach(ahead, waiter));
      }
    }

    private static Set<LeaseOwner> inTheWayOf(KeyRequest keyRequest, LeaseKey key) {
      return key.inTheWayOf(keyRequest)
          .map(hold -> hold.leaseOwner)
          .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private void reach(Waiter next, Waiter from) {
      visits++;
      if (next == start) {
        last = last == null ? from : last;
      } else if (!next.isAbandoned() && !cameFrom.containsKey(next)) {
        cameFrom.put(next, from);
        todo.add(next);
      }
    }
  }
}
