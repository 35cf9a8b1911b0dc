package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Stale;
import dev.plinth.ratelimit.store.Outcome.Taken;
import java.util.ArrayList;
import java.util.List;

/**
 * Equal checks in one request. The first of them get what was admitted, each as if it had been
 * decided before the next, and the others the denial.
 */
final class MergedChecks implements FlushEntry {
  private final BudgetSet set;
  private final long cost;
  private final DecisionRecorder recorder;
  private final List<PendingCheck> pending = new ArrayList<>(1);
  private long stamp;

  MergedChecks(PendingCheck first, DecisionRecorder recorder) {
    this.set = first.set();
    this.cost = first.cost();
    this.recorder = recorder;
    pending.add(first);
  }

  BudgetSet set() {
    return set;
  }

  long cost() {
    return cost;
  }

  /**
   * Not where there are shadows: the store does not say how many of several a shadow had room for,
   * and each is to get the verdict that it would have got by itself.
   */
  boolean accepts(PendingCheck other) {
    return other.isSameAs(this) && set.enforced() == set.budgets().size();
  }

  void add(PendingCheck other) {
    pending.add(other);
  }

  @Override
  public BudgetRequest request() {
    stamp = recorder.denials.stamp(set);
    return BudgetRequest.of(Take.of(set.charges(cost)).times(pending.size()));
  }

  @Override
  public int budgets() {
    return set.budgets().size();
  }

  @Override
  public int checks() {
    return pending.size();
  }

  @Override
  public void answered(Outcome outcome, Flush flush) {
    if (outcome instanceof Stale stale) {
      failed(new StalePolicyException(stale.version()));
      return;
    }
    Taken taken = (Taken) outcome;
    if (taken.admitted() < pending.size()) {
      recorder.denials.put(set, new Denial(cost, taken, flush.sentAt(), stamp));
    }
    long denied = (pending.size() - (long) taken.admitted()) * cost;
    int late = 0;
    long admitted = 0;
    for (int i = 0; i < pending.size(); i++) {
      boolean allowed = i < taken.admitted();
      long later = (taken.admitted() - 1L - i) * cost;
      Decision decision =
          allowed ? Decisions.allowed(set, taken, later, denied) : Decisions.denied(set, taken);
      if (pending.get(i).complete(decision)) {
        recorder.record(set, decision);
        admitted += decision.granted();
      } else {
        late++;
      }
    }
    recorder.localBudgets.admitted(set, admitted);
    if (late > 0) {
      flush.late(late);
    }
  }

  @Override
  public void failed(Throwable cause) {
    for (PendingCheck each : pending) {
      if (cause instanceof StalePolicyException) {
        each.completeExceptionally(cause);
      } else {
        each.onStoreUnavailable(true);
      }
    }
  }

  @Override
  public void expire(long now) {
    for (PendingCheck each : pending) {
      if (!each.isDue(now)) {
        return;
      }
      each.onStoreUnavailable(true);
    }
  }
}
