package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;

/** Records what this node has decided: in metrics, cached denials and local budgets. */
final class DecisionRecorder {
  final LimitEvents events;
  final DenyCache denials;
  final LocalBudgets localBudgets;

  DecisionRecorder(LimitEvents events, DenyCache denials, LocalBudgets localBudgets) {
    this.events = events;
    this.denials = denials;
    this.localBudgets = localBudgets;
  }

  /** The store decided a check, and its caller is answered so. */
  void record(BudgetSet set, Decision decision) {
    count(events, set, decision);
    if (decision.verdict() == Verdict.DENY) {
      return;
    }
    for (LimitStatus status : decision.limits()) {
      if (status.near()) {
        events.nearLimit(set.domain(), status.rule().name());
      }
    }
  }

  /** Every decision of a check is counted here, whoever made it. */
  static Decision count(LimitEvents events, BudgetSet set, Decision decision) {
    events.decided(decision.verdict(), decision.decidedBy());
    if (decision.verdict() != Verdict.ALLOW) {
      for (LimitStatus status : decision.limits()) {
        if (status.over()) {
          events.overLimit(set.domain(), status.rule().name(), status.shadow());
        }
      }
    }
    return decision;
  }

  /** By a cached denial; null if it is not known to be denied. */
  Decision denied(BudgetSet set, long cost, long now) {
    Decision denied = denials.find(set, cost, now);
    return denied == null ? null : count(events, set, denied);
  }
}
