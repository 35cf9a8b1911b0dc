package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.pipeline.Inspection.KeyState;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Outcome.Standing;
import java.util.ArrayList;
import java.util.List;

/** Standings of a store as an operator reads them. */
final class Inspections {
  private Inspections() {}

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
              AdmissionBounds.perPeriod(each.rule()),
              isSlots ? limit.size() - standings.get(i).available() : 0));
    }
    return new Inspection(keys, set.replaced(), set.policyVersion());
  }
}
