package dev.plinth.ratelimit.pipeline;

/** Decisions that need no store: from a lease, which was charged before, or by a denial. */
final class LocalDecider {
  private final DecisionRecorder recorder;
  private final ServerLeases leases;
  private final LocalBudgets localBudgets;

  LocalDecider(DecisionRecorder recorder, ServerLeases leases, LocalBudgets localBudgets) {
    this.recorder = recorder;
    this.leases = leases;
    this.localBudgets = localBudgets;
  }

  /** Null if only the store knows. */
  Decision decide(BudgetSet set, long cost, long now) {
    ServerLease lease = set.lease();
    if (lease != null && lease.spend(cost, now)) {
      if (lease.isLow()) {
        leases.renew(set);
      }
      localBudgets.admitted(set, cost);
      return DecisionRecorder.count(recorder.events(), set, lease.decision(cost));
    }
    return denied(set, cost, now);
  }

  /** Null if it is not known to be denied. */
  Decision denied(BudgetSet set, long cost, long now) {
    Decision denied = recorder.denials().find(set, cost, now);
    return denied == null ? null : DecisionRecorder.count(recorder.events(), set, denied);
  }
}
