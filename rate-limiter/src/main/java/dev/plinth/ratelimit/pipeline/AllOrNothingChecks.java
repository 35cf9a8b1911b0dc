package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.store.Charge;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks that are charged all or not at all: one take, with what they cost each budget summed. */
final class AllOrNothingChecks {
  private final List<Check> checks;
  private final List<BudgetSet> sets;
  private final BudgetSet all;
  private final List<Charge> charges = new ArrayList<>();

  /**
   * @param sets the budgets of each check
   */
  AllOrNothingChecks(CompiledPolicy policy, List<Check> checks, List<BudgetSet> sets) {
    this.checks = checks;
    this.sets = sets;
    this.all = BudgetSet.union(policy.policy(), sets);
    Map<String, Long> costs = new HashMap<>();
    for (int i = 0; i < checks.size(); i++) {
      long cost = checks.get(i).cost();
      sets.get(i).budgets().forEach(each -> costs.merge(each.budget().key(), cost, Long::sum));
    }
    for (RuleBudget each : all.budgets()) {
      charges.add(new Charge(each.budget(), costs.get(each.budget().key())));
    }
  }

  List<Check> checks() {
    return checks;
  }

  BudgetSet set() {
    return all;
  }

  /** In the order of the set's budgets. */
  List<Charge> charges() {
    return charges;
  }

  /** The decision of each, from that of all. */
  List<Decision> split(Decision whole) {
    Map<String, LimitStatus> statuses = new HashMap<>();
    for (int i = 0; i < all.budgets().size(); i++) {
      statuses.put(all.budgets().get(i).budget().key(), whole.limits().get(i));
    }
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      List<LimitStatus> limits =
          sets.get(i).budgets().stream().map(each -> statuses.get(each.budget().key())).toList();
      decisions.add(split(whole, checks.get(i).cost(), limits));
    }
    return decisions;
  }

  private static Decision split(Decision whole, long cost, List<LimitStatus> limits) {
    boolean denied = whole.verdict() == Verdict.DENY;
    Verdict allowed = Statuses.isShadowOver(limits) ? Verdict.ALLOW_SHADOW : Verdict.ALLOW;
    return new Decision(
        denied ? Verdict.DENY : allowed,
        denied ? 0 : cost,
        whole.retry(),
        limits,
        whole.policyVersion(),
        whole.decidedBy());
  }
}
