package dev.plinth.lease.core;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Who waits for one key: those whose callers listen, in order, and apart from them those whose
 * calls broke off and whose places are kept for a moment. Every step costs the logarithm of the
 * length at most.
 */
final class WaitQueue {
  // Positions up to this one are told at every change, those further back in proportion.
  private static final int TOLD_ALWAYS = 20;

  private final WaiterTree listening = new WaiterTree();
  private TreeSet<Waiter> away;
  private TreeSet<Waiter> entangled;

  /** How often somebody's position changed, and how many of these changes were told of. */
  private long changes;

  private long told;

  /** All that wait, with those whose places are kept. */
  int size() {
    return listening.size() + (away == null ? 0 : away.size());
  }

  boolean isEmpty() {
    return size() == 0;
  }

  void add(Waiter waiter) {
    if (waiter.isDisconnected()) {
      away = away == null ? new TreeSet<>(Waiter.ORDER) : away;
      away.add(waiter);
      return;
    }
    Waiter last = listening.last();
    changes += last != null && Waiter.ORDER.compare(waiter, last) < 0 ? 1 : 0;
    listening.add(waiter);
    if (waiter.isEntangled()) {
      entangled(waiter);
    }
  }

  /** One of those that are here, or that are away, became entangled. */
  void entangled(Waiter waiter) {
    if (!waiter.isDisconnected()) {
      entangled = entangled == null ? new TreeSet<>(Waiter.ORDER) : entangled;
      entangled.add(waiter);
    }
  }

  void remove(Waiter waiter) {
    if (listening.remove(waiter)) {
      changes++;
      if (entangled != null && entangled.remove(waiter) && entangled.isEmpty()) {
        entangled = null;
      }
    } else if (away != null && away.remove(waiter) && away.isEmpty()) {
      away = null;
    }
  }

  /** The first whose place is not merely kept; null if there is none. */
  Waiter first() {
    return listening.first();
  }

  boolean hasEntangledBehind(Waiter waiter) {
    return entangled != null && Waiter.ORDER.compare(entangled.last(), waiter) > 0;
  }

  /** Counted from 1, without those whose callers are gone. */
  int positionOf(Waiter waiter) {
    return 1 + listening.countBefore(waiter.rank, waiter.place);
  }

  /** Where a newcomer would stand. */
  int positionOfNext(int priority, long now) {
    return 1 + listening.countBefore(Waiter.rank(now, priority), Long.MAX_VALUE);
  }

  /** Visits listeners from one position up to another, the latter left out, in order. */
  void visit(int from, int to, WaiterTree.Visitor visitor) {
    listening.visit(from, to, visitor);
  }

  /**
   * How far from the front positions may have changed so much that they are told. The front is
   * looked at after each change, twice as many after every second, and so on: one who stands at
   * position p is looked at before it has moved by more than about a tenth of p, and n changes cost
   * n log n looks.
   */
  int toNotify() {
    long changed = Long.highestOneBit(told ^ changes);
    told = changes;
    return (int) Math.min(listening.size(), TOLD_ALWAYS * changed);
  }

  /** The first that this owner has here for this key alone; null if there is none. */
  Waiter firstOf(String ownerId) {
    Waiter[] found = {null};
    listening.visit(
        1,
        Integer.MAX_VALUE,
        (waiter, position) -> {
          boolean fits = waiter.keys.size() == 1 && waiter.leaseOwner.ownerId().equals(ownerId);
          if (found[0] == null && fits && !waiter.isAbandoned()) {
            found[0] = waiter;
          }
        });
    return found[0];
  }

  /** The first of all that wait, up to so many. */
  List<Waiter> first(int most) {
    List<Waiter> first = new ArrayList<>();
    listening.visit(1, most + 1, (waiter, position) -> first.add(waiter));
    if (away != null) {
      away.stream().limit(most).forEach(first::add);
      first.sort(Waiter.ORDER);
    }
    return first.size() > most ? List.copyOf(first.subList(0, most)) : first;
  }
}
