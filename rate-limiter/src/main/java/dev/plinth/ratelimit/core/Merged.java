package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.Take;
import dev.plinth.ratelimit.core.Outcome.Stale;
import dev.plinth.ratelimit.core.Outcome.Taken;
import java.util.ArrayList;
import java.util.List;

/**
 * Equal checks in one request. The first of them get what was admitted, each as if it had been
 * decided before the next, and the others the denial.
 */
final class Merged implements Slip {
  private final BudgetSet set;
  private final long cost;
  private final Ledger ledger;
  private final List<Asked> asked = new ArrayList<>(1);
  private long stamp;

  Merged(Asked first, Ledger ledger) {
    this.set = first.set();
    this.cost = first.cost();
    this.ledger = ledger;
    asked.add(first);
  }

  BudgetSet set() {
    return set;
  }

  long cost() {
    return cost;
  }

  /**
   * Not where there are shadows: how many of several a shadow had room for is not told, and each is
   * to get the verdict that it would have got alone.
   */
  boolean takes(Asked other) {
    return other.isLike(this) && set.enforced() == set.budgets().size();
  }

  void add(Asked other) {
    asked.add(other);
  }

  @Override
  public Request request() {
    stamp = ledger.denials().stamp(set);
    return Request.of(Take.of(set.charges(cost)).times(asked.size()));
  }

  @Override
  public int checks() {
    return asked.size();
  }

  @Override
  public void answered(Outcome outcome, Flush flush) {
    if (outcome instanceof Stale stale) {
      failed(new StalePolicy(stale.version()));
      return;
    }
    Taken taken = (Taken) outcome;
    if (taken.admitted() < asked.size()) {
      ledger.denials().put(set, new Denial(cost, taken, flush.sentAt(), stamp));
    }
    long denied = (asked.size() - (long) taken.admitted()) * cost;
    int late = 0;
    long admitted = 0;
    for (int i = 0; i < asked.size(); i++) {
      boolean allowed = i < taken.admitted();
      long later = (taken.admitted() - 1L - i) * cost;
      Decision decision =
          allowed ? Decisions.allowed(set, taken, later, denied) : Decisions.denied(set, taken);
      if (asked.get(i).complete(decision)) {
        ledger.decided(set, decision);
        admitted += decision.granted();
      } else {
        late++;
      }
    }
    ledger.alone().admitted(set, admitted);
    if (late > 0) {
      flush.late(late);
    }
  }

  @Override
  public void failed(Throwable cause) {
    for (Asked each : asked) {
      if (cause instanceof StalePolicy) {
        each.completeExceptionally(cause);
      } else {
        each.away(true);
      }
    }
  }

  @Override
  public void expire(long now) {
    for (Asked each : asked) {
      if (!each.isDue(now)) {
        return;
      }
      each.away(true);
    }
  }
}
