package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Decision.LimitStatus;
import dev.plinth.ratelimit.core.Decision.Verdict;

/** What this node has decided, and what it may rely on for the next decision. */
final class Ledger {
  private final LimitEvents events;
  private final DenyCache denials;
  private final Alone alone;

  Ledger(LimitEvents events, DenyCache denials, Alone alone) {
    this.events = events;
    this.denials = denials;
    this.alone = alone;
  }

  DenyCache denials() {
    return denials;
  }

  Alone alone() {
    return alone;
  }

  LimitEvents events() {
    return events;
  }

  /** The store decided a check, and its caller is told so. */
  void decided(BudgetSet set, Decision decision) {
    counted(events, set, decision);
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
  static Decision counted(LimitEvents events, BudgetSet set, Decision decision) {
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
