package dev.plinth.ratelimit.core;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what this node admits of the budgets in use, and holds it against their bounds, over every
 * stretch of time between two looks at once: what was admitted, less what was refilled since, is
 * never more than what the bound allows in no time. A reset gives more; where another node did it,
 * that is not known here and may show as a violation.
 *
 * <p>An admission is counted when its answer is here, not when the store decided, and threads may
 * be held up; so the time is taken to be longer by the slowest answer seen and {@link #SLACK}.
 */
final class BoundCheck {
  static final int MOST = 10_000;
  private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long UNUSED = TimeUnit.MINUTES.toNanos(1);

  /** A budget under watch; by the looking thread only. */
  private static final class Watched {
    private final String domain;
    private final RuleBudget budget;
    private final long lent;
    private final double perNano;
    private long resets;
    private long lookedAt;
    private long usedAt;
    private long counted;
    private double level;

    Watched(String domain, RuleBudget budget, long now) {
      this.domain = domain;
      this.budget = budget;
      this.lent = budget.budget().lending().map(Budget.Lending::most).orElse(0L);
      this.perNano = Bounds.refilledPerSecond(budget.rule().limit()) / 1e9;
      begin(now);
    }

    void begin(long now) {
      resets = budget.resets();
      lookedAt = now;
      usedAt = now;
      counted = budget.admitted();
      level = 0;
    }

    /** False if more was admitted than the bound allows. */
    boolean look(long before, long admitted, long after, long slack) {
      usedAt = admitted == counted ? usedAt : before;
      level = Math.max(0, level - (after - lookedAt) * perNano) + (admitted - counted);
      counted = admitted;
      lookedAt = before;
      return level
          <= Bounds.atOnce(budget.rule().limit(), lent, budget.largest()) + slack * perNano;
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

  /** One look at all of them; those that are not used are let go. */
  void look() {
    long slack = SLACK + slowest.getAndSet(0);
    for (int left = size.get(); left > 0; left--) {
      Watched each = watched.poll();
      if (each == null) {
        break;
      }
      look(each, slack);
      if (each.lookedAt - each.usedAt < UNUSED) {
        watched.add(each);
      } else {
        size.decrementAndGet();
        each.budget.unwatch();
      }
    }
  }

  private void look(Watched each, long slack) {
    long before = node.nanos().getAsLong();
    long admitted = each.budget.admitted();
    long after = node.nanos().getAsLong();
    if (each.resets != each.budget.resets()) {
      each.begin(before);
    } else if (!each.look(before, admitted, after, slack)) {
      node.events().boundViolated(each.domain, each.budget.rule().name());
      each.begin(before);
    }
  }
}
