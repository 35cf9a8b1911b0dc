package dev.plinth.ratelimit.core;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The budgets of a node that decides alone. They are kept from one failure of the store to the
 * next, and forgotten only when it has not been needed for a while: so a store that comes and goes
 * does not give every node a full budget each time. For as long as they are kept they are shares
 * among the nodes that were seen at first.
 */
final class Alone {
  private static final int HEAP_SHARE = 8;
  private static final int SWEPT_AT_ONCE = 10_000;
  static final long KEPT = TimeUnit.MINUTES.toNanos(1);

  /** One domain's. */
  private static final class Domain {
    private final Budgets budgets;

    Domain(RowMemory memory) {
      this.budgets = new Budgets(memory);
    }

    synchronized Outcome apply(Request request, long now) {
      return budgets.apply(List.of(request), now).get(0);
    }

    synchronized void sweep(long now) {
      budgets.sweep(SWEPT_AT_ONCE, now);
    }

    synchronized void charge(Budget budget, long cost, long now) {
      budgets.charge(budget, cost, now);
    }
  }

  /** From the first need of them until they are forgotten. */
  private record Outage(
      int nodes, long beganMicros, long began, Map<String, Domain> domains, RowMemory memory) {
    /** Names of domains are the callers': one that holds nothing is not kept. */
    Domain domainFor(String name, Request request) {
      return request.beginsRows() || domains.containsKey(name)
          ? domain(name)
          : new Domain(new RowMemory(Long.MAX_VALUE));
    }

    Domain domain(String name) {
      Domain known = domains.get(name);
      return known != null ? known : domains.computeIfAbsent(name, absent -> new Domain(memory));
    }
  }

  private final Node node;
  private volatile Outage outage;
  private volatile long lastUsed;

  Alone(Node node) {
    this.node = node;
  }

  int nodes() {
    return outage().nodes;
  }

  Outcome apply(String domain, Request request) {
    Outage now = outage();
    lastUsed = node.nanos().getAsLong();
    return now.domainFor(domain, request).apply(request, micros(now));
  }

  private Outage outage() {
    Outage known = outage;
    return known != null ? known : begin();
  }

  private synchronized Outage begin() {
    if (outage == null) {
      long wall = ChronoUnit.MICROS.between(Instant.EPOCH, node.clock().instant());
      lastUsed = node.nanos().getAsLong();
      int nodes = Math.max(1, node.nodes().getAsInt());
      outage =
          new Outage(
              nodes, wall, lastUsed, new ConcurrentHashMap<>(), RowMemory.ofHeap(HEAP_SHARE));
    }
    return outage;
  }

  /** Forgets them, if they were not needed for {@link #KEPT}, or else those that are over. */
  void tidy() {
    Outage now = outage;
    if (now != null && node.nanos().getAsLong() - lastUsed >= KEPT) {
      outage = null;
    } else if (now != null) {
      now.domains.values().forEach(domain -> domain.sweep(micros(now)));
    }
  }

  boolean isInUse() {
    return outage != null;
  }

  /**
   * The store admitted something at this node, or a lease did: while budgets are kept here, that
   * counts in them, too. So a node that is answered by a slow store in part, and decides the rest
   * alone, has one budget for both.
   */
  void admitted(BudgetSet set, long cost) {
    Outage now = outage;
    if (now != null) {
      for (int i = 0; i < set.enforced(); i++) {
        admitted(now, set, set.budgets().get(i), cost);
      }
    }
  }

  /**
   * @param charges of the set's budgets, in their order
   * @param most that was granted of each
   */
  void admitted(BudgetSet set, List<Charge> charges, long most) {
    Outage now = outage;
    if (now != null) {
      for (int i = 0; i < set.enforced(); i++) {
        admitted(now, set, set.budgets().get(i), Math.min(charges.get(i).cost(), most));
      }
    }
  }

  private void admitted(Outage now, BudgetSet set, RuleBudget budget, long cost) {
    if (cost > 0 && Fallback.isLocal(budget)) {
      now.domain(set.domain()).charge(budget.share(now.nodes), cost, micros(now));
    }
  }

  private long micros(Outage now) {
    return now.beganMicros + TimeUnit.NANOSECONDS.toMicros(node.nanos().getAsLong() - now.began);
  }
}
