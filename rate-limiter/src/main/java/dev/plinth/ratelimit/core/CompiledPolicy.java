package dev.plinth.ratelimit.core;

import java.util.List;

/**
 * A policy made ready to decide with, once for each of its versions. It remembers which budgets
 * descriptors come to, as many as {@code remembered}, and what this node knows of those budgets: a
 * denial that still holds, a lease. So it belongs to one {@link Limits}.
 */
public final class CompiledPolicy {
  public static final int REMEMBERED = 100_000;

  private final Policy policy;
  private final Matcher checks;
  private final Matcher slots;
  private final CompiledPolicy exact;

  private CompiledPolicy(Policy policy, int remembered) {
    this.policy = policy;
    BudgetSets sets = new BudgetSets(policy, remembered);
    checks = new Matcher(policy, Matcher.Mode.CHECKS, sets);
    slots = new Matcher(policy, Matcher.Mode.SLOTS, sets);
    exact = new CompiledPolicy(policy, new Matcher(policy, Matcher.Mode.EXACT, sets), slots);
  }

  private CompiledPolicy(Policy policy, Matcher checks, Matcher slots) {
    this.policy = policy;
    this.checks = checks;
    this.slots = slots;
    this.exact = this;
  }

  public static CompiledPolicy of(Policy policy) {
    return of(policy, REMEMBERED);
  }

  public static CompiledPolicy of(Policy policy, int remembered) {
    return new CompiledPolicy(policy, remembered);
  }

  public Policy policy() {
    return policy;
  }

  public long version() {
    return policy.version();
  }

  /**
   * The same policy and the same budgets, but a rule matches a check only if the keys of its
   * matches are the check's keys, all of them and in their order, as Envoy's configuration has it.
   */
  public CompiledPolicy exact() {
    return exact;
  }

  /** How many sets of descriptors it knows. */
  int remembered() {
    return checks.remembered();
  }

  BudgetSet match(List<Descriptor> descriptors) {
    return checks.match(descriptors);
  }

  BudgetSet slots(List<Descriptor> descriptors) {
    return slots.match(descriptors);
  }

  /** The budgets of checks and of slots. */
  BudgetSet everything(List<Descriptor> descriptors) {
    BudgetSet checked = match(descriptors);
    BudgetSet held = slots(descriptors);
    return held.isEmpty() && held.replaced().isEmpty() ? checked : checked.and(policy, held);
  }
}
