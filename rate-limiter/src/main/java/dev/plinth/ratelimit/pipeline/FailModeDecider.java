package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Standing;
import dev.plinth.ratelimit.store.Outcome.Taken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Decides without the store, by the fail modes of the rules that are enforced: one that is CLOSED
 * denies; those that are LOCAL must have room in this node's own budgets, by their safe limits; and
 * where there are neither, it is allowed.
 */
final class FailModeDecider {
  private final NodeContext node;
  private final PipelineOptions tuning;
  private final StoreCircuitBreaker breaker;
  private final LocalBudgets localBudgets;

  FailModeDecider(
      NodeContext node,
      PipelineOptions tuning,
      StoreCircuitBreaker breaker,
      LocalBudgets localBudgets) {
    this.node = node;
    this.tuning = tuning;
    this.breaker = breaker;
    this.localBudgets = localBudgets;
  }

  Decision check(BudgetSet set, long cost) {
    return decide(set, set.charges(cost), false, Optional.empty());
  }

  /**
   * @param charges of the set's budgets, in their order
   */
  Decision decide(
      BudgetSet set, List<Charge> charges, boolean partial, Optional<IdempotencyKey> key) {
    if (isClosed(set)) {
      return count(set, Decisions.denied(set, retry(), unknownStatuses(set), DecidedBy.CLOSED));
    }
    int nodes = localBudgets.nodes();
    List<Charge> safe = new ArrayList<>();
    for (int i = 0; i < set.enforced(); i++) {
      if (isLocal(set.budgets().get(i))) {
        safe.add(charges.get(i).of(set.budgets().get(i).share(nodes)));
      }
    }
    if (safe.isEmpty()) {
      long cost = charges.stream().mapToLong(Charge::cost).max().orElse(0);
      return count(set, Decisions.allowed(set, cost, unknownStatuses(set), DecidedBy.OPEN));
    }
    Take take = new Take(safe, 1, partial, 0, 0, Optional.empty());
    Outcome outcome = localBudgets.apply(set.domain(), new BudgetRequest(take, key));
    if (outcome instanceof Outcome.Undecided) { // no memory for another budget: not silently more
      return count(
          set, Decisions.denied(set, retry(), unknownStatuses(set), DecidedBy.LOCAL_FALLBACK));
    }
    Taken taken = (Taken) DecisionPipeline.known(outcome);
    return count(set, decision(set, taken, safe));
  }

  private Decision decision(BudgetSet set, Taken taken, List<Charge> safe) {
    List<LimitStatus> limits = new ArrayList<>(unknownStatuses(set));
    int next = 0;
    for (int i = 0; i < set.enforced(); i++) {
      if (isLocal(set.budgets().get(i))) {
        Standing standing = Statuses.withDebtAsOver(set, taken.standings().get(next));
        limits.set(
            i, Statuses.of(set.budgets().get(i), safe.get(next).budget().limit().size(), standing));
        next++;
      }
    }
    return taken.admitted() > 0
        ? Decisions.allowed(set, taken.granted(), limits, DecidedBy.LOCAL_FALLBACK)
        : Decisions.denied(set, taken.retry(), limits, DecidedBy.LOCAL_FALLBACK);
  }

  static boolean isClosed(BudgetSet set) {
    for (int i = 0; i < set.enforced(); i++) {
      if (set.budgets().get(i).rule().failMode() == FailMode.CLOSED) {
        return true;
      }
    }
    return false;
  }

  static boolean isLocal(RuleBudget budget) {
    return budget.rule().failMode() == FailMode.LOCAL;
  }

  /** In microseconds: when the store is tried again, or an answer that was late may be there. */
  long retry() {
    long untilProbe = breaker.retryIn(node.nanos().getAsLong());
    return Math.max(untilProbe, TimeUnit.NANOSECONDS.toMicros(tuning.storeBudget().toNanos()));
  }

  /** Nothing is known of how they stand: full, or, where that is why it was denied, empty. */
  static List<LimitStatus> unknownStatuses(BudgetSet set) {
    List<LimitStatus> limits = new ArrayList<>();
    for (int i = 0; i < set.budgets().size(); i++) {
      RuleBudget each = set.budgets().get(i);
      boolean denies = i < set.enforced() && each.rule().failMode() == FailMode.CLOSED;
      long size = each.rule().limit().size();
      limits.add(
          new LimitStatus(
              each.rule(), size, denies ? 0 : size, 0, denies, each.budget().shadow(), denies));
    }
    return limits;
  }

  private Decision count(BudgetSet set, Decision decision) {
    return DecisionRecorder.count(node.events(), set, decision);
  }
}
