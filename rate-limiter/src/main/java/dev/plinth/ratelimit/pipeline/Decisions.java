package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.Outcome.Taken;
import java.util.List;

/** Outcomes of the store as decisions. */
final class Decisions {
  private Decisions() {}

  static Decision noRule(CompiledPolicy policy, long cost) {
    return new Decision(Verdict.ALLOW, cost, 0, List.of(), policy.version(), DecidedBy.NO_RULE);
  }

  /** By a rule that exempts. */
  static Decision unlimited(CompiledPolicy policy, long cost, Rule rule) {
    long most = rule.limit().size();
    LimitStatus status = new LimitStatus(rule, most, most, 0, false, false, false);
    return new Decision(
        Verdict.ALLOW, cost, 0, List.of(status), policy.version(), DecidedBy.NO_RULE);
  }

  static Decision of(BudgetSet set, Taken taken) {
    return taken.admitted() > 0 ? allowed(set, taken, 0, 0) : denied(set, taken);
  }

  /**
   * @param later units that were charged by checks after this one in the same request
   * @param denied units that those charged that were denied, where they are charged
   */
  static Decision allowed(BudgetSet set, Taken taken, long later, long denied) {
    List<LimitStatus> limits = Statuses.admitted(set, taken.standings(), later, denied);
    return allowed(set, taken.granted(), limits, DecidedBy.STORE);
  }

  static Decision allowed(BudgetSet set, long granted, List<LimitStatus> limits, DecidedBy by) {
    Verdict verdict = Statuses.isShadowOver(limits) ? Verdict.ALLOW_SHADOW : Verdict.ALLOW;
    return new Decision(verdict, granted, 0, limits, set.policyVersion(), by);
  }

  static Decision denied(BudgetSet set, Taken taken) {
    return denied(set, taken.retry(), Statuses.of(set, taken.standings()), DecidedBy.STORE);
  }

  static Decision denied(BudgetSet set, long retry, List<LimitStatus> limits, DecidedBy by) {
    return new Decision(Verdict.DENY, 0, retry, limits, set.policyVersion(), by);
  }
}
