package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.Charge;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

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
  private final boolean charging;
  private final int queueHash;
  private final LeaseTerms terms;
  private final DemandMeter demand = new DemandMeter();
  private final AtomicBoolean requestingLease = new AtomicBoolean();
  private final AtomicReference<ServerLease> lease = new AtomicReference<>();
  private volatile Denial denial;

  /**
   * @param charging windows are charged for what is denied, too
   */
  BudgetSet(
      Policy policy,
      List<RuleBudget> enforced,
      List<RuleBudget> shadows,
      List<String> replaced,
      boolean charging) {
    this.charging = charging;
    this.domain = policy.domain();
    this.policyVersion = policy.version();
    List<RuleBudget> all = new ArrayList<>(enforced);
    all.addAll(shadows);
    this.budgets = List.copyOf(all);
    this.enforced = enforced.size();
    this.replaced = replaced;
    this.ones = charge(1);
    this.terms = LeaseTerms.of(enforced);
    int hash = domain.hashCode();
    for (RuleBudget each : budgets) {
      hash = 31 * hash + each.budget().key().hashCode();
    }
    this.queueHash = hash ^ hash >>> 16;
  }

  /** All of them, each budget once. */
  static BudgetSet union(Policy policy, List<BudgetSet> sets) {
    if (sets.size() == 1) {
      return sets.get(0);
    }
    Set<String> names = new LinkedHashSet<>();
    Map<String, RuleBudget> all = new LinkedHashMap<>();
    for (BudgetSet set : sets) {
      names.addAll(set.replaced);
      set.budgets.forEach(each -> all.putIfAbsent(each.budget().key(), each));
    }
    return of(policy, List.copyOf(all.values()), List.copyOf(names));
  }

  private static BudgetSet of(Policy policy, List<RuleBudget> all, List<String> replaced) {
    return new BudgetSet(
        policy,
        all.stream().filter(each -> !each.budget().shadow()).toList(),
        all.stream().filter(each -> each.budget().shadow()).toList(),
        replaced,
        false);
  }

  /** The budget of one rule, or none. */
  BudgetSet only(Policy policy, String rule) {
    return of(
        policy,
        budgets.stream().filter(each -> each.rule().name().equals(rule)).toList(),
        replaced);
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

  /** Selects the flush queue. */
  int queueHash() {
    return queueHash;
  }

  List<Charge> charges(long cost) {
    return cost == 1 ? ones : charge(cost);
  }

  private List<Charge> charge(long cost) {
    return budgets.stream()
        .map(each -> new Charge(each.budget(), cost, chargesDenied(each.budget())))
        .toList();
  }

  /** Whether denied checks are charged to it, too; of a limit whose debt ends with its window. */
  boolean chargesDenied(Budget budget) {
    return charging && budget.limit() instanceof Limit.Windowed;
  }

  /** Whether what was charged so far, not what a check would add, says that it is over. */
  boolean isCharging() {
    return charging;
  }

  /** How much of all of them may be leased; null if nothing. */
  LeaseTerms terms() {
    return terms;
  }

  DemandMeter demand() {
    return demand;
  }

  /** The lease that is being spent, or null. */
  ServerLease lease() {
    return lease.get();
  }

  /** The one that was spent before, or null. */
  ServerLease lease(ServerLease next) {
    return lease.getAndSet(next);
  }

  void drop(ServerLease ended) {
    lease.compareAndSet(ended, null);
  }

  /** True for the caller that may request a lease, until {@link #endLeaseRequest}. */
  boolean beginLeaseRequest() {
    return !requestingLease.get() && requestingLease.compareAndSet(false, true);
  }

  void endLeaseRequest() {
    requestingLease.set(false);
  }

  /** The last denial, whether it still holds or not; or null. */
  Denial denial() {
    return denial;
  }

  void denial(Denial last) {
    denial = last;
  }

  /** Of memory, with a denial and with its budgets, which other sets may have too. */
  int bytesWithBudgets() {
    int bytes = 480 + 160 * budgets.size() + 32 * replaced.size();
    for (RuleBudget each : budgets) {
      bytes += each.bytes();
    }
    return bytes;
  }
}
