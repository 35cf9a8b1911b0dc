package dev.plinth.ratelimit.pipeline;

/** A check that is only charged: alike ones are decided in one request. */
final class PendingCheck extends PendingAnswer<Decision> {
  private final BudgetSet set;
  private final long cost;
  private final FailModeDecider fallback;

  PendingCheck(BudgetSet set, long cost, long deadline, FailModeDecider fallback) {
    super(set.domain(), set.queueHash(), deadline);
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

  boolean isSameAs(MergedChecks merged) {
    return merged.set() == set && merged.cost() == cost;
  }

  @Override
  void onStoreUnavailable(boolean maybeCharged) {
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
