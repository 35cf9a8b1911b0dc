package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds waits that wait for each other in a circle. One that waits needs those before it in line to
 * be served, and the holders that its modes do not go with to let go; and a party that waits for
 * anything lets go of nothing. Of a full semaphore any holder may let go, so its holders are not
 * counted: such a wait ends by its own time.
 */
final class DeadlockDetector {
  // Of the circle that is told, before the last waiter that is named, and keys of a set.
  private static final int MAX_TEXT = 500;
  private static final int MAX_KEYS = 2;

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
    return new Search(start.leaseOwner, List.of(start), start).run().findFirst().orElse(List.of());
  }

  /**
   * Circles that go through a hold of this party, each with one of its own waits first; empty if
   * there is none. One search for all its waits, and for all who wait for its holds: whoever waits
   * for one of its holds waits for all that the party waits for. There may be others, which lead to
   * the same waiters by other ways. Each is put together when it is asked for: together they may be
   * long.
   */
  Stream<List<Waiter>> findCyclesThrough(LeaseOwner leaseOwner) {
    return new Search(leaseOwner, List.copyOf(ownerIndex.waitsOf(leaseOwner)), null).run();
  }

  /** Names the first of a long circle: an answer takes only so much. */
  static Failure failure(List<Waiter> circle) {
    StringBuilder text = new StringBuilder();
    int told = 0;
    for (Waiter waiter : circle) {
      if (text.length() > MAX_TEXT) {
        text.append(", and ").append(circle.size() - told).append(" more");
        break;
      }
      text.append(told++ == 0 ? "" : ", ").append(hop(waiter));
    }
    String cycle = text.toString();
    return new Failure.Conflict(
        ErrorReason.ERROR_REASON_DEADLOCK,
        "a wait that could not end: " + cycle,
        Map.of("cycle", cycle));
  }

  private static String hop(Waiter waiter) {
    List<String> keys = waiter.keys.stream().limit(MAX_KEYS).map(key -> key.name.key()).toList();
    int more = waiter.keys.size() - keys.size();
    return waiter.leaseOwner.ownerId()
        + " waits for "
        + String.join("+", keys)
        + (more == 0 ? "" : " and " + more + " more");
  }

  /** Breadth first, every line and holder looked at once. */
  private final class Search {
    private final LeaseOwner leaseOwner;
    private final Waiter start;
    private final Map<Waiter, Waiter> cameFrom = new LinkedHashMap<>();
    private final ArrayDeque<Waiter> todo = new ArrayDeque<>();
    private final Map<LeaseKey, Integer> seenTo = new HashMap<>();
    private final Map<List<Object>, Set<LeaseOwner>> holdersLeft = new HashMap<>();
    private final List<Waiter> ends = new ArrayList<>();

    /** A circle ends at the start, or without one at a waiter that a hold of the party blocks. */
    Search(LeaseOwner leaseOwner, List<Waiter> from, Waiter start) {
      this.leaseOwner = leaseOwner;
      this.start = start;
      todo.addAll(from);
      from.forEach(waiter -> cameFrom.put(waiter, null));
    }

    /** With a start its first circle, else one for each waiter that a hold of the party blocks. */
    Stream<List<Waiter>> run() {
      while (!todo.isEmpty() && (start == null || ends.isEmpty())) {
        Waiter waiter = todo.poll();
        waiter.keys.forEach(key -> lookAt(key, waiter));
      }
      return ends.stream().map(this::circleTo);
    }

    private List<Waiter> circleTo(Waiter end) {
      List<Waiter> circle = new ArrayList<>();
      for (Waiter waiter = end; waiter != null; waiter = cameFrom.get(waiter)) {
        circle.add(waiter);
      }
      Collections.reverse(circle);
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
          if (holder.equals(waiter.leaseOwner)) {
            continue;
          }
          if (start == null && holder.equals(leaseOwner)) {
            ends.add(waiter); // and it stays in the way of those that are looked at next
          } else if (holders.remove(holder)) {
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
        ends.add(from);
      } else if (!next.isAbandoned() && !cameFrom.containsKey(next)) {
        cameFrom.put(next, from);
        todo.add(next);
      }
    }
  }
}
