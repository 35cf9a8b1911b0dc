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
import java.util.NavigableSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds waits that wait for each other in a circle. One that waits needs those before it in line to
 * be served, and the holders that its modes do not go with to let go; and a party that waits for
 * anything lets go of nothing. Of a full semaphore any holder may let go, so its holders are not
 * counted: such a wait ends by its own time.
 */
final class Deadlocks {
  private final Parties parties;

  Deadlocks(Parties parties) {
    this.parties = parties;
  }

  /** Whether anybody waits for it; if not, it can be in no circle. */
  boolean isWaitedFor(Waiter waiter) {
    return parties.hasHolds(waiter.party)
        || waiter.keys.stream().anyMatch(key -> key.line.higher(waiter) != null);
  }

  /** The waiters of a circle that this one is in, itself first; empty if there is none. */
  List<Waiter> circleOf(Waiter start) {
    return new Search(start).run();
  }

  static Failure failure(List<Waiter> circle) {
    List<String> hops = new ArrayList<>();
    for (Waiter waiter : circle) {
      List<String> keys = waiter.keys.stream().map(key -> key.name.key()).toList();
      hops.add(waiter.wish.ownerId() + " waits for " + String.join("+", keys));
    }
    String cycle = String.join(", ", hops);
    return new Failure.Conflict(
        ErrorReason.ERROR_REASON_DEADLOCK,
        "a wait that could not end: " + cycle,
        Map.of("cycle", cycle));
  }

  /** Breadth first, every line and holder looked at once. */
  private final class Search {
    private final Waiter start;
    private final Map<Waiter, Waiter> cameFrom = new LinkedHashMap<>();
    private final ArrayDeque<Waiter> todo = new ArrayDeque<>();
    private final Map<LeaseKey, Waiter> lineSeenTo = new HashMap<>();
    private final Map<List<Object>, Set<Party>> holdersLeft = new HashMap<>();
    private Waiter last;

    Search(Waiter start) {
      this.start = start;
    }

    List<Waiter> run() {
      todo.add(start);
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
      Want want = waiter.wantOf(key);
      if (want.mode() != Mode.SEMAPHORE) {
        Set<Party> holders =
            holdersLeft.computeIfAbsent(List.of(key, want.mode()), k -> inTheWayOf(want, key));
        // One's own hold is not in one's way, but in that of others.
        for (Party holder : List.copyOf(holders)) {
          if (!holder.equals(waiter.party) && holders.remove(holder)) {
            parties.waitsOf(holder).forEach(next -> reach(next, waiter));
          }
        }
      }
      unseenBefore(key, waiter).forEach(ahead -> reach(ahead, waiter));
    }

    private static Set<Party> inTheWayOf(Want want, LeaseKey key) {
      return key.inTheWayOf(want)
          .map(hold -> hold.party)
          .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private NavigableSet<Waiter> unseenBefore(LeaseKey key, Waiter waiter) {
      Waiter to = lineSeenTo.get(key);
      if (to == null) {
        lineSeenTo.put(key, waiter);
        return key.line.headSet(waiter, false);
      }
      if (Waiter.ORDER.compare(to, waiter) >= 0) {
        return key.line.subSet(to, true, to, false);
      }
      lineSeenTo.put(key, waiter);
      return key.line.subSet(to, true, waiter, false);
    }

    private void reach(Waiter next, Waiter from) {
      if (next == start) {
        last = last == null ? from : last;
      } else if (!next.isAbandoned() && cameFrom.putIfAbsent(next, from) == null) {
        todo.add(next);
      }
    }
  }
}
