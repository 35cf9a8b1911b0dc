package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.BudgetLease;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The budget that one limiter holds: a lease that is being spent, the next one when that runs low,
 * and those that are over but not yet given back. Paying takes one compare-and-set and no lock;
 * everything else happens a few times in the life of a lease.
 *
 * <p>A lease whose answer is lost stays charged until the service forgets it: less is admitted than
 * could be, never more.
 */
final class LeasedBudget {
  private static final Duration FIRST_GUESS = Duration.ofMillis(500);
  private static final double NANOS_PER_SECOND = 1e9;

  private final LimiterContext limiterContext;
  private final BudgetLeaseCaller budgetLeaseCaller;
  private final LeaseRequestGate leaseRequestGate;
  private final RequestRateMeter requestRateMeter = new RequestRateMeter();
  private final ArrayDeque<EndedGrant> spent = new ArrayDeque<>();
  private volatile BudgetGrant current = BudgetGrant.NONE;
  private volatile BudgetGrant next = BudgetGrant.NONE;
  // The request under way, if any: what it brings must go back too if this is closed meanwhile.
  private CompletableFuture<Void> asking = CompletableFuture.completedFuture(null);
  private boolean closed;

  LeasedBudget(LimiterKey limiterKey, LimiterContext limiterContext) {
    this.limiterContext = limiterContext;
    this.budgetLeaseCaller = new BudgetLeaseCaller(limiterKey, limiterContext);
    this.leaseRequestGate = new LeaseRequestGate(limiterContext.now());
  }

  /** Whether it is paid, and may be done now. */
  boolean pay(long cost) {
    BudgetGrant budgetGrant = current;
    while (!paidBy(budgetGrant, cost)) {
      BudgetGrant following = following(budgetGrant, cost);
      if (following == budgetGrant) {
        return false;
      }
      budgetGrant = following;
    }
    return true;
  }

  private boolean paidBy(BudgetGrant budgetGrant, long cost) {
    long rest = budgetGrant.take(cost);
    if (rest < 0) {
      return false;
    }
    long now = limiterContext.now();
    if (budgetGrant.isEnded(now)) {
      limiterContext.events().stale(cost);
      return false;
    }
    if (budgetGrant.runsLow(rest, now) && mayRequest(now)) {
      long perSecond = budgetGrant.perSecond(now);
      if (perSecond >= limiterContext.options().leaseAbove()) {
        request(perSecond, cost, budgetGrant.validFor());
      }
    }
    return true;
  }

  /** The one to try after {@code grant} could not pay; itself if there is none. */
  private BudgetGrant following(BudgetGrant budgetGrant, long cost) {
    if (current != budgetGrant || next == BudgetGrant.NONE) {
      return current;
    }
    synchronized (this) {
      boolean helps =
          next.has(cost) || !budgetGrant.has(1) || budgetGrant.isEnded(limiterContext.now());
      if (current == budgetGrant && next != BudgetGrant.NONE && helps) {
        retire(budgetGrant);
        current = next;
        next = BudgetGrant.NONE;
      }
      return current;
    }
  }

  /** Something is asked of the service, since nothing here could pay it. */
  void missed(long cost) {
    LimitOptions options = limiterContext.options();
    if (!options.leases()) {
      return;
    }
    long now = limiterContext.now();
    if (requestRateMeter.add(cost, now) > options.leaseAbove() && mayRequest(now)) {
      request(requestRateMeter.unitsPerSecond(now), cost, FIRST_GUESS.toNanos());
    }
  }

  void sawPolicy(long version) {
    leaseRequestGate.sawPolicy(limiterContext.now(), version);
  }

  private boolean mayRequest(long now) {
    return next == BudgetGrant.NONE && leaseRequestGate.mayRequest(now);
  }

  /** For as much as will be spent in the time of a lease. */
  private void request(long perSecond, long cost, long validFor) {
    long sent = limiterContext.now();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Optional<EndedGrant> back;
    synchronized (this) {
      if (closed || next != BudgetGrant.NONE || !leaseRequestGate.begin(sent)) {
        return;
      }
      spent.removeIf(one -> one.isIdle(sent));
      back = Optional.ofNullable(spent.poll());
      asking = done;
      limiterContext.lending().add(this);
    }
    long forATime = (long) Math.ceil(perSecond * (validFor / NANOS_PER_SECOND));
    budgetLeaseCaller
        .lease(Math.max(cost, forATime), back)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                back.ifPresent(one -> limiterContext.events().unused(one.unused()));
                answered(answer, sent);
              } else {
                failed(back);
              }
            })
        .whenComplete(
            (answer, failure) -> {
              done.complete(null);
              forgetIfEmpty();
            });
  }

  private void answered(LeaseBudgetResponse answer, long sent) {
    limiterContext.events().leaseRequested(name(answer.getOutcome()));
    BudgetLease lease = answer.getLease();
    if (answer.getOutcome() == Outcome.OUTCOME_LEASED && lease.getGranted() > 0) {
      long validFor = LimitWire.duration(lease.getValidFor()).toNanos();
      limiterContext.events().leased(lease.getGranted());
      take(new BudgetGrant(lease.getLeaseId(), lease.getGranted(), sent, validFor));
      leaseRequestGate.granted();
    } else if (answer.getOutcome() == Outcome.OUTCOME_NOT_LEASABLE) {
      leaseRequestGate.notLeasable(limiterContext.now(), answer.getPolicyVersion());
    } else {
      leaseRequestGate.denied(limiterContext.now(), LimitWire.duration(answer.getRetryAfter()));
    }
  }

  private static String name(Outcome outcome) {
    return switch (outcome) {
      case OUTCOME_LEASED -> "LEASED";
      case OUTCOME_NOT_LEASABLE -> "NOT_LEASABLE";
      default -> "DENIED";
    };
  }

  private void failed(Optional<EndedGrant> back) {
    limiterContext.events().leaseRequested("FAILED");
    if (back.isPresent()) {
      synchronized (this) {
        spent.addFirst(back.get()); // whether it went back or not
      }
      if (back.get().budgetGrant().isEnded(limiterContext.now())) {
        returnUnused(false);
      }
    }
    leaseRequestGate.failed(limiterContext.now());
  }

  private void take(BudgetGrant budgetGrant) {
    long now = limiterContext.now();
    boolean useless;
    synchronized (this) {
      if (closed) {
        retire(budgetGrant); // whoever closed this waits for it
        return;
      }
      useless = budgetGrant.isEnded(now);
      if (useless) {
        retire(budgetGrant);
      } else if (current.has(1) && !current.isEnded(now)) {
        next = budgetGrant;
      } else {
        retire(current);
        current = budgetGrant;
      }
    }
    if (useless) {
      returnUnused(false);
    } else {
      limiterContext
          .rateLimitCaller()
          .after(Duration.ofNanos(budgetGrant.deadline() - now), () -> timeIsOver(budgetGrant));
    }
  }

  /** Under the lock. */
  private void retire(BudgetGrant budgetGrant) {
    if (budgetGrant == BudgetGrant.NONE) {
      return;
    }
    long unused = budgetGrant.end();
    if (unused >= 0) {
      spent.add(new EndedGrant(budgetGrant, unused));
    }
  }

  /** What was not spent goes back while it still counts. */
  private void timeIsOver(BudgetGrant budgetGrant) {
    synchronized (this) {
      retire(budgetGrant);
      if (current == budgetGrant) {
        current = next;
        next = BudgetGrant.NONE;
      } else if (next == budgetGrant) {
        next = BudgetGrant.NONE;
      }
    }
    returnUnused(false);
  }

  /** Lets go of all there is. Used again, it leases anew; not so after {@link #close}. */
  CompletableFuture<Void> returnAll() {
    synchronized (this) {
      retire(current);
      retire(next);
      current = BudgetGrant.NONE;
      next = BudgetGrant.NONE;
    }
    return returnUnused(true);
  }

  CompletableFuture<Void> close() {
    CompletableFuture<Void> inFlight;
    synchronized (this) {
      closed = true;
      inFlight = asking;
    }
    return CompletableFuture.allOf(returnAll(), inFlight.thenCompose(done -> returnUnused(true)));
  }

  /**
   * @param all also those with nothing left in them, which else go along with the next request
   */
  private CompletableFuture<Void> returnUnused(boolean all) {
    return CompletableFuture.allOf(
        ended(all).stream()
            .map(budgetLeaseCaller::returnBudget)
            .toArray(CompletableFuture<?>[]::new));
  }

  private synchronized List<EndedGrant> ended(boolean all) {
    long now = limiterContext.now();
    List<EndedGrant> back = spent.stream().filter(one -> all || one.unused() > 0).toList();
    spent.removeAll(back);
    spent.removeIf(one -> one.isIdle(now));
    forgetIfEmpty();
    return back;
  }

  private synchronized void forgetIfEmpty() {
    boolean holds = current != BudgetGrant.NONE || next != BudgetGrant.NONE || !spent.isEmpty();
    if (!holds && asking.isDone()) {
      limiterContext.lending().remove(this);
    }
  }
}
