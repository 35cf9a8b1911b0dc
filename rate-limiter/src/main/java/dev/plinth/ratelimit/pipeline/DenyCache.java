package dev.plinth.ratelimit.pipeline;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Denials that still hold, kept with the set of budgets that they are of. It never grants, and
 * never denies for longer than the store said. It is bounded with the sets, which are bounded by
 * {@link DescriptorCache}.
 *
 * <p>What returns budget on this node (a reset, a settled reservation, a returned lease) moves the
 * stamps of the budgets, or of the whole domain where they are not known: a denial that was
 * requested before that is not valid any more. What other nodes return is seen after {@code
 * denyFor}.
 */
final class DenyCache {
  private static final int STAMPS = 1 << 12;

  private final long denyFor;
  private final LimitEvents events;
  private final AtomicLongArray stamps = new AtomicLongArray(STAMPS);

  DenyCache(PipelineOptions tuning, LimitEvents events) {
    this.denyFor = tuning.denyFor().toNanos();
    this.events = events;
  }

  /** Null if none holds. */
  Decision find(BudgetSet set, long cost, long now) {
    Denial denial = set.denial();
    if (denial == null
        || !denial.covers(cost)
        || !denial.isValid(now, denyFor)
        || denial.stamp() != stamp(set)) {
      return null;
    }
    events.denyCacheHit();
    return denial.decision(set, now);
  }

  void put(BudgetSet set, Denial denial) {
    Denial before = set.denial();
    if (denyFor == 0
        || before != null
            && before.cost() < denial.cost()
            && before.stamp() == denial.stamp()
            && before.isValid(denial.sentAt(), denyFor)) {
      return;
    }
    set.denial(denial);
  }

  /** Changes with every gift to one of the budgets. */
  long stamp(BudgetSet set) {
    long sum = stamps.get(stampIndex(set.domain()));
    for (int i = 0; i < set.enforced(); i++) {
      sum += stamps.get(stampIndex(set.budgets().get(i).budget().key()));
    }
    return sum;
  }

  /** Budget was returned to these. */
  void budgetReturned(BudgetSet set) {
    for (RuleBudget each : set.budgets()) {
      stamps.incrementAndGet(stampIndex(each.budget().key()));
    }
  }

  /** Budget was returned to budgets of the domain that this node does not know. */
  void budgetReturned(String domain) {
    stamps.incrementAndGet(stampIndex(domain));
  }

  private static int stampIndex(String name) {
    int hash = name.hashCode();
    return (hash ^ hash >>> 16) & STAMPS - 1;
  }
}
