package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.BudgetKey;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.Budget.Lending;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The budgets of a policy, one object for each, and for each set of them that checks come to. */
final class BudgetSetCache {
  /** A rule and the key of its budget, before it is known whether it is a shadow. */
  record RuleKey(Rule rule, String key) {}

  /** Sets that differ in what was replaced are different, for {@code inspect}. */
  private record SetKey(List<String> keys, List<String> replaced, boolean charging) {
    static final Comparator<SetKey> ORDER =
        ((Comparator<SetKey>) (one, other) -> compared(one.keys, other.keys))
            .thenComparing((one, other) -> compared(one.replaced, other.replaced))
            .thenComparing(SetKey::charging);

    private static int compared(List<String> one, List<String> other) {
      return DescriptorCache.compare(one, other, Comparator.naturalOrder());
    }

    /** Its texts are those of the budgets and rules. */
    int bytes() {
      return 96 + 8 * (keys.size() + replaced.size());
    }
  }

  private final Policy policy;
  private final DescriptorCache cache;
  private final DescriptorCache.View<String, RuleBudget> budgets;
  private final DescriptorCache.View<SetKey, BudgetSet> sets;

  BudgetSetCache(Policy policy, DescriptorCache cache) {
    this.policy = policy;
    this.cache = cache;
    this.budgets = cache.view(Comparator.naturalOrder(), (key, budget) -> budget.bytes());
    this.sets = cache.view(SetKey.ORDER, (key, set) -> key.bytes() + set.bytesWithBudgets());
  }

  DescriptorCache cache() {
    return cache;
  }

  BudgetSet of(List<RuleKey> ruleKeys, List<String> replaced) {
    return of(ruleKeys, replaced, false);
  }

  /** The same budgets; their windows are charged for what is denied, too. */
  BudgetSet charging(List<RuleKey> ruleKeys) {
    return of(ruleKeys, List.of(), true);
  }

  private BudgetSet of(List<RuleKey> ruleKeys, List<String> replaced, boolean charging) {
    SetKey key = new SetKey(ruleKeys.stream().map(RuleKey::key).toList(), replaced, charging);
    BudgetSet set = sets.get(key);
    return set != null ? set : sets.put(key, make(ruleKeys, replaced, charging));
  }

  private BudgetSet make(List<RuleKey> ruleKeys, List<String> replaced, boolean charging) {
    List<RuleBudget> enforced = new ArrayList<>();
    List<RuleBudget> shadows = new ArrayList<>();
    for (RuleKey one : ruleKeys) {
      RuleBudget known = budgets.get(one.key());
      RuleBudget budget = known != null ? known : budgets.put(one.key(), budget(one));
      (budget.budget().shadow() ? shadows : enforced).add(budget);
    }
    return new BudgetSet(policy, enforced, shadows, replaced, charging);
  }

  private static RuleBudget budget(RuleKey ruleKey) {
    Rule rule = ruleKey.rule();
    boolean shadow = rule.isShadow(ruleKey.key());
    return new RuleBudget(
        rule,
        new Budget(
            shadow ? BudgetKey.shadow(ruleKey.key()) : ruleKey.key(),
            rule.limit(),
            rule.version(),
            rule.counting().onChange(),
            shadow,
            shadow ? Optional.empty() : lending(rule)));
  }

  /** None where the share of a small limit comes to nothing. */
  static Optional<Lending> lending(Rule rule) {
    return rule.lease()
        .map(
            lease ->
                new Lending(
                    rule.limit().size() * lease.maxFractionPermille() / 1000,
                    TimeUnit.NANOSECONDS.toMicros(lease.ttl().toNanos())))
        .filter(lending -> lending.max() > 0);
  }
}
