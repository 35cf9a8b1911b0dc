package dev.plinth.ratelimit.core;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what this node admits of the budgets in use, and holds it against their bounds: since the
 * last look, and since a period began. What a reset gives on top is not known here if another node
 * did it, and then shows as a violation.
 *
 * <p>An admission is counted when its answer is here, not when the store decided: so the stretch of
 * time is longer by the slowest answer seen.
 */
final class BoundCheck {
  static final int MOST = 10_000;

  /** Spending of leases is counted at looks that are so far apart, and threads may be held up. */
  private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(250);

  /** A budget under watch: what was admitted at two moments. */
  private static final class Watched {
    private final String domain;
    private final RuleBudget budget;
    private final long lent;
    private long resets;
    private long lastAt;
    private long last;
    private long periodAt;
    private long period;

    Watched(String domain, RuleBudget budget, long now) {
      this.domain = domain;
      this.budget = budget;
      this.lent = budget.budget().lending().map(Budget.Lending::most).orElse(0L);
      begin(now);
    }

    void begin(long now) {
      resets = budget.resets();
      lastAt = now;
      last = budget.admitted();
      periodAt = now;
      period = last;
    }
  }

  private final Node node;
  private final Queue<Watched> watched = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong slowest = new AtomicLong();

  BoundCheck(Node node) {
    this.node = node;
  }

  /**
   * @param cost of one of the checks
   */
  void admitted(BudgetSet set, long units, long cost) {
    for (int i = 0; i < set.enforced() && units > 0; i++) {
      RuleBudget budget = set.budgets().get(i);
      if (size.get() < MOST && budget.watch()) {
        size.incrementAndGet();
        watched.add(new Watched(set.domain(), budget, node.nanos().getAsLong()));
      }
      budget.admit(units, cost);
    }
  }

  /** An answer took so long. */
  void answered(long nanos) {
    if (nanos > slowest.get()) {
      slowest.accumulateAndGet(nanos, Math::max);
    }
  }

  /** One look at all of them; those that were not used since the last are let go. */
  void look() {
    long slack = SLACK + slowest.get();
    for (int left = size.get(); left > 0; left--) {
      Watched each = watched.poll();
      if (each == null) {
        break;
      }
      if (isInUse(each, slack)) {
        watched.add(each);
      } else {
        size.decrementAndGet();
        each.budget.unwatch();
      }
    }
    slowest.set(0);
  }

  private boolean isInUse(Watched each, long slack) {
    long before = node.nanos().getAsLong();
    long admitted = each.budget.admitted();
    long now = node.nanos().getAsLong();
    if (each.resets != each.budget.resets()) {
      each.begin(before);
      return true;
    }
    if (exceeds(each, admitted - each.last, now - each.lastAt + slack)
        || exceeds(each, admitted - each.period, now - each.periodAt + slack)) {
      node.events().boundViolated(each.domain, each.budget.rule().name());
      each.begin(before);
      return true;
    }
    boolean used = admitted != each.last;
    each.lastAt = before;
    each.last = admitted;
    if (now - each.periodAt >= TimeUnit.MICROSECONDS.toNanos(Bounds.period(each.budget.rule()))) {
      each.periodAt = before;
      each.period = admitted;
    }
    return used;
  }

  private static boolean exceeds(Watched each, long units, long nanos) {
    long micros = TimeUnit.NANOSECONDS.toMicros(nanos) + 1;
    Limit limit = each.budget.rule().limit();
    return units > Bounds.over(limit, each.lent, micros, each.budget.largest());
  }
}
