package dev.plinth.ratelimit.core;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** A budget, and the rule it is of; one object for each budget of a compiled policy. */
final class RuleBudget {
  /** The budget as one of so many nodes has it for itself. */
  private record Share(int nodes, Budget budget) {}

  private final Rule rule;
  private final Budget budget;
  private final AtomicLong admitted = new AtomicLong();
  private final AtomicBoolean watched = new AtomicBoolean();
  private final AtomicLong resets = new AtomicLong();
  private volatile long largest = 1;
  private volatile Share share;

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

  /** What one of so many nodes has of it while each decides alone. */
  Budget share(int nodes) {
    Share known = share;
    if (known == null || known.nodes != nodes) {
      Limit limit = SafeLimits.of(rule, nodes);
      known =
          new Share(
              nodes,
              new Budget(
                  budget.key(),
                  limit,
                  budget.version(),
                  budget.onChange(),
                  budget.shadow(),
                  Optional.empty()));
      share = known;
    }
    return known.budget;
  }

  /** Units that this node admitted by the store's word, or from leases. */
  long admitted() {
    return admitted.get();
  }

  void admit(long units, long cost) {
    if (cost > largest) {
      largest = cost;
    }
    admitted.addAndGet(units);
  }

  /** The most that one check was seen to cost. */
  long largest() {
    return largest;
  }

  /** It began anew, with all there is. */
  void reset() {
    resets.incrementAndGet();
  }

  long resets() {
    return resets.get();
  }

  /** True for the first who says so. */
  boolean watch() {
    return !watched.get() && watched.compareAndSet(false, true);
  }

  void unwatch() {
    watched.set(false);
  }

  /** Of memory, with its key and the share of it that a node has alone. */
  int bytes() {
    return 360 + 2 * DescriptorCache.bytesOf(budget.key());
  }
}
