package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.engine.Budgets;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Operation.ReleaseSlot;
import dev.plinth.ratelimit.store.Operation.RenewSlot;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.RowMemory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The budgets of {@code FailMode.LOCAL}, which this node decides without the store. They are kept
 * from one failure of the store to the next, and dropped only when they have not been used for a
 * while: so a store that fails again and again does not give every node a full budget each time. As
 * long as they are kept they are shares among the nodes that were seen at first.
 */
final class LocalBudgets {
  private static final int SWEEP_SIZE = 10_000;
  static final long RETENTION = TimeUnit.MINUTES.toNanos(1);

  /** In front of the id of a slot that the store gave; no caller can name such a slot. */
  private static final String STORE_PREFIX = "\t";

  /** One domain's. */
  private static final class Domain {
    private final Budgets budgets;

    Domain(RowMemory memory) {
      this.budgets = new Budgets(memory);
    }

    synchronized Outcome apply(BudgetRequest request, long now) {
      return budgets.apply(List.of(request), now).get(0);
    }

    synchronized void sweep(long now) {
      budgets.sweep(SWEEP_SIZE, now);
    }

    synchronized void charge(Budget budget, long cost, long now) {
      budgets.charge(budget, cost, now);
    }

    synchronized void hold(List<Budget> shares, String slot, long ttl, long now) {
      budgets.hold(shares, slot, ttl, now);
    }

    synchronized List<Long> ownSlotEnds(Budget share, long now) {
      return budgets.slotEnds(share, slot -> !slot.startsWith(STORE_PREFIX), now);
    }
  }

  /** From the first need of them until they are forgotten. */
  private record Outage(
      int nodes, long beganMicros, long began, Map<String, Domain> domains, RowMemory memory) {
    /** Names of domains are the callers': one that holds nothing is not kept. */
    Domain domainFor(String name, BudgetRequest request) {
      return request.beginsRows() || domains.containsKey(name)
          ? domain(name)
          : new Domain(new RowMemory(Long.MAX_VALUE));
    }

    Domain domain(String name) {
      Domain known = domains.get(name);
      return known != null ? known : domains.computeIfAbsent(name, absent -> new Domain(memory));
    }
  }

  private final NodeContext node;
  private volatile Outage outage;
  private volatile long lastUsed;

  LocalBudgets(NodeContext node) {
    this.node = node;
  }

  int nodes() {
    return outage().nodes;
  }

  Outcome apply(String domain, BudgetRequest request) {
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
              nodes,
              wall,
              lastUsed,
              new ConcurrentHashMap<>(),
              new RowMemory(node.localRowBytes()));
    }
    return outage;
  }

  /** Forgets them, if they were not needed for {@link #RETENTION}, or else those that are over. */
  void sweep() {
    Outage now = outage;
    if (now != null && node.nanos().getAsLong() - lastUsed >= RETENTION) {
      outage = null;
    } else if (now != null) {
      now.domains.values().forEach(domain -> domain.sweep(micros(now)));
    }
  }

  /** Memory that they take, by estimate. */
  long bytes() {
    Outage now = outage;
    return now == null ? 0 : now.memory.used();
  }

  boolean isInUse() {
    return outage != null;
  }

  /**
   * The store admitted something at this node, or a lease did: while budgets are kept here, that
   * counts in them, too. So a node that is answered by a slow store in part, and decides the rest
   * locally, has one budget for both.
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
    if (cost > 0 && FailModeDecider.isLocal(budget)) {
      now.domain(set.domain()).charge(budget.share(now.nodes), cost, micros(now));
    }
  }

  /**
   * The store gave a slot at this node: while budgets are kept here, it takes a place in them, too.
   */
  void slotGranted(BudgetSet set, String slot, long ttl) {
    Outage now = outage;
    if (now != null) {
      List<Budget> shares = localShares(set, now.nodes);
      if (!shares.isEmpty()) {
        now.domain(set.domain()).hold(shares, STORE_PREFIX + slot, ttl, micros(now));
      }
    }
  }

  /** The store gave, late, what was given here: it is one slot. False if it is not held here. */
  boolean adoptSlot(BudgetSet set, String slot, long ttl) {
    if (!endSlot(set.domain(), slot)) {
      return false;
    }
    slotGranted(set, slot, ttl);
    return true;
  }

  /** The store renewed a slot. */
  void slotRenewed(String domain, String slot, long ttl) {
    slot(domain, new RenewSlot(STORE_PREFIX + slot, ttl));
  }

  /** Whoever gave it, it is over. True if this node gave it and it was held. */
  boolean endSlot(String domain, String slot) {
    slot(domain, new ReleaseSlot(STORE_PREFIX + slot));
    return slot(domain, new ReleaseSlot(slot));
  }

  /** Renews or releases a slot that this node gave. False if it is not held here. */
  boolean applyToOwnSlot(String domain, Operation operation) {
    if (isInUse()) {
      lastUsed = node.nanos().getAsLong();
    }
    return slot(domain, operation);
  }

  /** What the store answers does not make the budgets be kept longer. */
  private boolean slot(String domain, Operation operation) {
    Outage now = outage;
    Domain known = now == null ? null : now.domains.get(domain);
    return known != null
        && known.apply(BudgetRequest.of(operation), micros(now)) instanceof Outcome.Held here
        && here.held();
  }

  /**
   * How long, in microseconds, the slots that this node gave take the place of one that the store
   * has just given: 0 if there is room for all of them.
   *
   * @param standings of the set's budgets, that slot included
   */
  long untilRoomForStoreSlot(BudgetSet set, List<Outcome.Standing> standings) {
    Outage now = outage;
    long longest = 0;
    for (int i = 0; now != null && i < set.enforced(); i++) {
      if (FailModeDecider.isLocal(set.budgets().get(i))) {
        Domain domain = now.domains.get(set.domain());
        long at = micros(now);
        List<Long> own =
            domain == null
                ? List.of()
                : domain.ownSlotEnds(set.budgets().get(i).share(now.nodes), at);
        int tooMany = (int) Math.min(own.size(), own.size() - standings.get(i).available());
        longest = tooMany > 0 ? Math.max(longest, own.get(tooMany - 1) - at) : longest;
      }
    }
    return longest;
  }

  private static List<Budget> localShares(BudgetSet set, int nodes) {
    return set.budgets().subList(0, set.enforced()).stream()
        .filter(FailModeDecider::isLocal)
        .map(each -> each.share(nodes))
        .toList();
  }

  private long micros(Outage now) {
    return now.beganMicros + TimeUnit.NANOSECONDS.toMicros(node.nanos().getAsLong() - now.began);
  }
}
