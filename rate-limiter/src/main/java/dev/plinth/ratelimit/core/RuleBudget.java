package dev.plinth.ratelimit.core;

/** A budget, and the rule it is of; one object for each budget of a compiled policy. */
final class RuleBudget {
  private final Rule rule;
  private final Budget budget;

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
}
