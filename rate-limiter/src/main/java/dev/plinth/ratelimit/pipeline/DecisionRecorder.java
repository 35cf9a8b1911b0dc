package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;

/** What this node has decided, and what it may rely on for the next decision. */
final class DecisionRecorder {
  private final LimitEvents events;
  private final DenyCache denials;
  private final LocalBudgets localBudgets;

  DecisionRecorder(LimitEvents events, DenyCache denials, LocalBudgets localBudgets) {
    this.events = events;
    this.denials = denials;
    this.localBudgets = localBudgets;
  }

  DenyCache denials() {
    return denials;
  }

  LocalBudgets localBudgets() {
    return localBudgets;
  }

  LimitEvents events() {
    return events;
  }

  /** The store decided a check, and its caller is told so. */
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
}
