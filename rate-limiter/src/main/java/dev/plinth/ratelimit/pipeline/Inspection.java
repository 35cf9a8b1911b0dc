package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Outcome.Standing;
import java.util.ArrayList;
import java.util.List;

/**
 * How the budgets of descriptors stand.
 *
 * @param replaced names of rules that match, but another one instead of them
 */
public record Inspection(List<KeyState> keys, List<String> replaced, long policyVersion) {
  static Inspection of(BudgetSet set, List<Standing> standings) {
    List<LimitStatus> statuses = Statuses.of(set, standings);
    List<KeyState> keys = new ArrayList<>();
    for (int i = 0; i < statuses.size(); i++) {
      RuleBudget each = set.budgets().get(i);
      Limit limit = each.rule().limit();
      boolean isSlots = limit instanceof Limit.Concurrency;
      keys.add(
          new KeyState(
              statuses.get(i),
              each.budget().key(),
              standings.get(i).version(),
              RuleBudget.boundPerPeriod(each.rule()),
              isSlots ? limit.size() - standings.get(i).available() : 0));
    }
    return new Inspection(keys, set.replaced(), set.policyVersion());
  }

  /**
   * One budget.
   *
   * @param key in the store
   * @param ruleVersion of the rule that last wrote it; 0 if there is none
   * @param boundPerPeriod the most that may be admitted in any interval of one period, leases
   *     included
   * @param slots slots held, of a concurrency rule
   */
  public record KeyState(
      LimitStatus status, String key, long ruleVersion, long boundPerPeriod, long slots) {}
}
