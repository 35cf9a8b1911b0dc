package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Policy;
import java.util.List;

/**
 * A policy made ready to decide with, once for each of its versions. It remembers which budgets
 * descriptors come to, in a cache that all policies of a node share, and what this node knows of
 * those budgets: a denial that still holds, a lease. So it belongs to one {@link RateLimits}.
 */
public final class CompiledPolicy {
  private final Policy policy;
  private final long bytes;
  private final RuleMatcher checks;
  private final RuleMatcher slots;
  private final DescriptorMatcher descriptors;

  private CompiledPolicy(Policy policy, DescriptorCache cache) {
    this.policy = policy;
    this.bytes = PolicySize.of(policy);
    BudgetSetCache sets = new BudgetSetCache(policy, cache);
    checks = new RuleMatcher(policy, RuleMatcher.Mode.CHECKS, sets);
    slots = new RuleMatcher(policy, RuleMatcher.Mode.SLOTS, sets);
    descriptors = new DescriptorMatcher(policy, sets);
  }

  /** With a cache of its own. */
  public static CompiledPolicy of(Policy policy) {
    return of(policy, new DescriptorCache(DescriptorCache.DEFAULT_BYTES));
  }

  public static CompiledPolicy of(Policy policy, DescriptorCache cache) {
    return new CompiledPolicy(policy, cache);
  }

  public Policy policy() {
    return policy;
  }

  public long version() {
    return policy.version();
  }

  /** Of memory, by estimate, without what the cache has. */
  public long bytes() {
    return bytes;
  }

  BudgetSet match(List<Descriptor> descriptors) {
    return checks.match(descriptors);
  }

  BudgetSet slots(List<Descriptor> descriptors) {
    return slots.match(descriptors);
  }

  /** What the descriptors of one request of Envoy come to. */
  List<DescriptorMatcher.Matched> descriptors(List<List<Descriptor>> request) {
    return descriptors.match(request);
  }

  /** The budgets of checks and of slots. */
  BudgetSet everything(List<Descriptor> descriptors) {
    BudgetSet checked = match(descriptors);
    BudgetSet held = slots(descriptors);
    return held.isEmpty() && held.replaced().isEmpty()
        ? checked
        : BudgetSet.union(policy, List.of(checked, held));
  }
}
