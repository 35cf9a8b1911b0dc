package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.Outcome.Standing;
import java.util.Arrays;
import java.util.List;

/** Standings of a store as a caller reads them. */
final class Statuses {
  private Statuses() {}

  /**
   * After a check that was admitted, while {@code later} units were yet to be charged by those
   * after it in the same request, and {@code denied} by those that were denied, where they are.
   */
  static List<LimitStatus> admitted(
      BudgetSet set, List<Standing> standings, long later, long denied) {
    LimitStatus[] statuses = new LimitStatus[standings.size()];
    for (int i = 0; i < statuses.length; i++) {
      RuleBudget budget = set.budgets().get(i);
      Standing standing = standings.get(i);
      long after = set.chargesDenied(budget.budget()) ? later + denied : later;
      // What an enforced budget had no room for was a check after this one.
      boolean over =
          budget.budget().shadow() && standing.over()
              || set.isCharging() && standing.available() + after < 0;
      statuses[i] = of(budget, budget.rule().limit().size(), standing, after, over);
    }
    return Arrays.asList(statuses);
  }

  /** As the store has them. */
  static List<LimitStatus> of(BudgetSet set, List<Standing> standings) {
    LimitStatus[] statuses = new LimitStatus[standings.size()];
    for (int i = 0; i < statuses.length; i++) {
      Standing standing = standings.get(i);
      RuleBudget budget = set.budgets().get(i);
      statuses[i] = of(budget, budget.rule().limit().size(), standing);
    }
    return Arrays.asList(statuses);
  }

  /** Where what is used already decides, a budget in debt is over. */
  static Standing withDebtAsOver(BudgetSet set, Standing standing) {
    return !set.isCharging() || standing.available() >= 0
        ? standing
        : new Standing(standing.available(), standing.reset(), true, standing.version());
  }

  /** Of a budget whose size is another one than its rule's. */
  static LimitStatus of(RuleBudget budget, long size, Standing standing) {
    return of(budget, size, standing, 0, standing.over());
  }

  static boolean isShadowOver(List<LimitStatus> statuses) {
    for (LimitStatus status : statuses) {
      if (status.shadow() && status.over()) {
        return true;
      }
    }
    return false;
  }

  private static LimitStatus of(
      RuleBudget budget, long size, Standing standing, long later, boolean over) {
    Rule rule = budget.rule();
    long remaining = Math.max(0, standing.available() + later);
    long reset = later == 0 ? standing.reset() : standing.reset() - refill(rule, later);
    return new LimitStatus(
        rule,
        size,
        remaining,
        Math.max(0, reset),
        remaining * 5 <= size,
        budget.budget().shadow(),
        over);
  }

  /** Only a bucket is full later for each unit taken. */
  private static long refill(Rule rule, long units) {
    return rule.limit() instanceof Limit.Bucket bucket ? units * bucket.num() / bucket.den() : 0;
  }
}
