package dev.plinth.ratelimit.core;

import java.util.ArrayList;
import java.util.List;

/**
 * The budgets that a check comes to, enforced ones first, and what this node knows of them. There
 * is one object for each such set of a compiled policy, so checks of the same budgets are known by
 * it.
 */
final class BudgetSet {
  private final String domain;
  private final long policyVersion;
  private final List<RuleBudget> budgets;
  private final int enforced;
  private final List<String> replaced;
  private final List<Charge> ones;

  BudgetSet(
      Policy policy, List<RuleBudget> enforced, List<RuleBudget> shadows, List<String> replaced) {
    this.domain = policy.domain();
    this.policyVersion = policy.version();
    List<RuleBudget> all = new ArrayList<>(enforced);
    all.addAll(shadows);
    this.budgets = List.copyOf(all);
    this.enforced = enforced.size();
    this.replaced = replaced;
    this.ones = charge(1);
  }

  String domain() {
    return domain;
  }

  long policyVersion() {
    return policyVersion;
  }

  boolean isEmpty() {
    return budgets.isEmpty();
  }

  List<RuleBudget> budgets() {
    return budgets;
  }

  /** How many, from the front, are enforced. */
  int enforced() {
    return enforced;
  }

  /** Names of rules that match, but another one instead of them. */
  List<String> replaced() {
    return replaced;
  }

  List<Charge> charges(long cost) {
    return cost == 1 ? ones : charge(cost);
  }

  private List<Charge> charge(long cost) {
    return budgets.stream().map(each -> new Charge(each.budget(), cost)).toList();
  }
}
