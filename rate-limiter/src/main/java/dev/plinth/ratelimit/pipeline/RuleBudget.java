package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.CappedMath;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.Budget;
import java.util.Optional;

/** A budget, and the rule it is of; one object for each budget of a compiled policy. */
final class RuleBudget {
  /** The budget as one of so many nodes has it for itself. */
  private record Share(int nodes, Budget budget) {}

  private final Rule rule;
  private final Budget budget;
  private volatile Share share;

  RuleBudget(Rule rule, Budget budget) {
    this.rule = rule;
    this.budget = budget;
  }

  Rule rule() {
    return rule;
  }

  Budget budget() {
    return budget;
  }

  /** The most that may be admitted in any interval of one period, with checks of cost 1. */
  static long boundPerPeriod(Rule rule) {
    long leased = BudgetSetCache.lending(rule).map(Budget.Lending::max).orElse(0L);
    return CappedMath.sum(rule.maxAdmittedPerPeriod(), leased);
  }

  /** What one of so many nodes has of it while each decides locally. */
  Budget share(int nodes) {
    Share known = share;
    if (known == null || known.nodes != nodes) {
      Limit limit = rule.safeLimitOf(nodes);
      known =
          new Share(
              nodes,
              new Budget(
                  budget.key(),
                  limit,
                  budget.version(),
                  budget.onChange(),
                  budget.shadow(),
                  Optional.empty()));
      share = known;
    }
    return known.budget;
  }

  /** Of memory, with its key and the share of it of one node. */
  int bytes() {
    return 280 + 2 * DescriptorCache.bytesOf(budget.key());
  }
}
