package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.store.Charge;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks that are charged all or not at all: one take, with what they cost each budget summed. */
final class AllOrNothingChecks {
  private final List<Check> checks;
  private final List<BudgetSet> sets = new ArrayList<>();
  private final BudgetSet all;
  private final List<Charge> charges = new ArrayList<>();

  AllOrNothingChecks(CompiledPolicy policy, List<Check> checks) {
    this.checks = checks;
    Map<String, Long> costs = new LinkedHashMap<>();
    BudgetSet union = null;
    for (Check check : checks) {
      BudgetSet set = policy.match(check.descriptors());
      sets.add(set);
      union = union == null ? set : union.and(policy.policy(), set);
      set.budgets().forEach(each -> costs.merge(each.budget().key(), check.cost(), Long::sum));
    }
    this.all = union;
    for (RuleBudget each : all.budgets()) {
      charges.add(new Charge(each.budget(), costs.get(each.budget().key())));
    }
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
