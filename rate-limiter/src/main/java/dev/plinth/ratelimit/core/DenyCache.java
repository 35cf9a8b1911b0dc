package dev.plinth.ratelimit.core;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Denials that still hold, kept with the set of budgets that they are of. It never grants, and
 * never denies for longer than the store said. The oldest goes where there are too many.
 *
 * <p>What gives budget back on this node (a reset, a settled reservation, a returned lease) moves
 * the stamps of the budgets, or of the whole domain where they are not known: a denial that was
 * asked for before that is not believed any more. Of what other nodes do, {@code denyFor} tells.
 */
final class DenyCache {
  private static final int STAMPS = 1 << 12;

  private final int most;
  private final long denyFor;
  private final LimitEvents events;
  private final AtomicLongArray stamps = new AtomicLongArray(STAMPS);
  private final Queue<BudgetSet> order = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();

  DenyCache(Tuning tuning, LimitEvents events) {
    this.most = tuning.denials();
    this.denyFor = tuning.denyFor().toNanos();
    this.events = events;
  }

  /** Null if none holds. */
  Decision find(BudgetSet set, long cost, long now) {
    Denial denial = set.denial();
    if (denial == null
        || !denial.covers(cost)
        || !denial.holds(now, denyFor)
        || denial.stamp() != stamp(set)) {
      return null;
    }
    events.denyCacheHit();
    return denial.decision(set, now);
  }

  void put(BudgetSet set, Denial denial) {
    Denial before = set.denial();
    if (most == 0
        || before != null
            && before.cost() < denial.cost()
            && before.stamp() == denial.stamp()
            && before.holds(denial.sentAt(), denyFor)) {
      return;
    }
    set.denial(denial);
    if (set.enlist()) {
      order.add(set);
      if (size.incrementAndGet() > most) {
        drop(order.poll());
      }
      events.denyCacheSize(size.get());
    }
  }

  /** Forgets those that hold no more. */
  void sweep(long now) {
    for (int left = size.get(); left > 0; left--) {
      BudgetSet set = order.poll();
      if (set == null) {
        break;
      }
      Denial denial = set.denial();
      if (denial != null && denial.holds(now, denyFor)) {
        order.add(set);
      } else {
        drop(set);
      }
    }
    events.denyCacheSize(size.get());
  }

  private void drop(BudgetSet set) {
    if (set != null) {
      // In this order a denial that is put meanwhile is lost, not kept without being listed.
      set.delist();
      set.denial(null);
      size.decrementAndGet();
    }
  }

  int size() {
    return size.get();
  }

  /** Changes with every gift to one of the budgets. */
  long stamp(BudgetSet set) {
    long sum = stamps.get(place(set.domain()));
    for (int i = 0; i < set.enforced(); i++) {
      sum += stamps.get(place(set.budgets().get(i).budget().key()));
    }
    return sum;
  }

  /** Something was given back to these. */
  void given(BudgetSet set) {
    for (RuleBudget each : set.budgets()) {
      stamps.incrementAndGet(place(each.budget().key()));
    }
  }

  /** Something was given back to budgets of the domain that this node does not know. */
  void given(String domain) {
    stamps.incrementAndGet(place(domain));
  }

  private static int place(String name) {
    int hash = name.hashCode();
    return (hash ^ hash >>> 16) & STAMPS - 1;
  }
}
