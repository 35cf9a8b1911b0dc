package dev.plinth.ratelimit.core;

/** A check that is only charged: alike ones are decided in one request. */
final class Asked extends Waiting<Decision> {
  private final BudgetSet set;
  private final long cost;
  private final Fallback fallback;

  Asked(BudgetSet set, long cost, long deadline, Fallback fallback) {
    super(set.domain(), set.place(), deadline);
    this.set = set;
    this.cost = cost;
    this.fallback = fallback;
  }

  BudgetSet set() {
    return set;
  }

  long cost() {
    return cost;
  }

  boolean isLike(Merged merged) {
    return merged.set() == set && merged.cost() == cost;
  }

  @Override
  void away(boolean sent) {
    if (isDone()) {
      return;
    }
    try {
      complete(fallback.check(set, cost));
    } catch (RuntimeException e) {
      completeExceptionally(e);
    }
  }
}
