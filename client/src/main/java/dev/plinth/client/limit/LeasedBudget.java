package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientWire;
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

  private final LimiterContext context;
  private final BudgetLeaseCaller caller;
  private final LeaseRequestGate gate;
  private final RequestRateMeter rate = new RequestRateMeter();
  private final ArrayDeque<EndedGrant> spent = new ArrayDeque<>();
  private volatile BudgetGrant current = BudgetGrant.NONE;
  private volatile BudgetGrant next = BudgetGrant.NONE;
  // The request in flight, if any: what it brings must go back too if this is closed meanwhile.
  private CompletableFuture<Void> asking = CompletableFuture.completedFuture(null);
  private boolean closed;

  LeasedBudget(LimiterKey key, LimiterContext context) {
    this.context = context;
    this.caller = new BudgetLeaseCaller(key, context);
    this.gate = new LeaseRequestGate(context.now());
  }

  /** Whether it is paid, and may be done now. */
  boolean pay(long cost) {
    BudgetGrant grant = current;
    while (!paidBy(grant, cost)) {
      BudgetGrant following = following(grant, cost);
      if (following == grant) {
        return false;
      }
      grant = following;
    }
    return true;
  }

  private boolean paidBy(BudgetGrant grant, long cost) {
    long rest = grant.take(cost);
    if (rest < 0) {
      return false;
    }
    long now = context.now();
    if (grant.isEnded(now)) {
      context.events().stale(cost);
      return false;
    }
    if (grant.runsLow(rest, now) && mayRequest(now)) {
      long perSecond = grant.perSecond(now);
      if (perSecond >= context.options().leaseAbove()) {
        request(perSecond, cost, grant.validFor());
      }
    }
    return true;
  }

  /** The one to try after {@code grant} could not pay; itself if there is none. */
  private BudgetGrant following(BudgetGrant grant, long cost) {
    if (current != grant || next == BudgetGrant.NONE) {
      return current;
    }
    synchronized (this) {
      boolean helps = next.has(cost) || !grant.has(1) || grant.isEnded(context.now());
      if (current == grant && next != BudgetGrant.NONE && helps) {
        retire(grant);
        current = next;
        next = BudgetGrant.NONE;
      }
      return current;
    }
  }

  /** Something is asked of the service, since nothing here could pay it. */
  void missed(long cost) {
    LimitOptions options = context.options();
    if (!options.leases()) {
      return;
    }
    long now = context.now();
    if (rate.add(cost, now) > options.leaseAbove() && mayRequest(now)) {
      request(rate.unitsPerSecond(now), cost, FIRST_GUESS.toNanos());
    }
  }

  void sawPolicy(long version) {
    gate.sawPolicy(context.now(), version);
  }

  private boolean mayRequest(long now) {
    return next == BudgetGrant.NONE && gate.mayRequest(now);
  }

  /** For as much as will be spent in the time of a lease. */
  private void request(long perSecond, long cost, long validFor) {
    long sent = context.now();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Optional<EndedGrant> back;
    synchronized (this) {
      if (closed || next != BudgetGrant.NONE || !gate.begin(sent)) {
        return;
      }
      spent.removeIf(one -> one.isIdle(sent));
      back = Optional.ofNullable(spent.poll());
      asking = done;
      context.lending().add(this);
    }
    long forATime = (long) Math.ceil(perSecond * (validFor / NANOS_PER_SECOND));
    caller
        .lease(Math.max(cost, forATime), back)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                back.ifPresent(one -> context.events().unused(one.unused()));
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
    context.events().leaseRequested(name(answer.getOutcome()));
    BudgetLease lease = answer.getLease();
    if (answer.getOutcome() == Outcome.OUTCOME_LEASED && lease.getGranted() > 0) {
      long validFor = ClientWire.duration(lease.getValidFor()).toNanos();
      context.events().leased(lease.getGranted());
      take(new BudgetGrant(lease.getLeaseId(), lease.getGranted(), sent, validFor));
      gate.granted();
    } else if (answer.getOutcome() == Outcome.OUTCOME_NOT_LEASABLE) {
      gate.notLeasable(context.now(), answer.getPolicyVersion());
    } else {
      gate.denied(context.now(), ClientWire.duration(answer.getRetryAfter()));
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
    context.events().leaseRequested("FAILED");
    if (back.isPresent()) {
      synchronized (this) {
        spent.addFirst(back.get()); // whether it went back or not
      }
      if (back.get().grant().isEnded(context.now())) {
        returnUnused(false);
      }
    }
    gate.failed(context.now());
  }

  private void take(BudgetGrant grant) {
    long now = context.now();
    boolean useless;
    synchronized (this) {
      if (closed) {
        retire(grant); // whoever closed this waits for it
        return;
      }
      useless = grant.isEnded(now);
      if (useless) {
        retire(grant);
      } else if (current.has(1) && !current.isEnded(now)) {
        next = grant;
      } else {
        retire(current);
        current = grant;
      }
    }
    if (useless) {
      returnUnused(false);
    } else {
      context.caller().after(Duration.ofNanos(grant.deadline() - now), () -> timeIsOver(grant));
    }
  }

  /** Under the lock. */
  private void retire(BudgetGrant grant) {
    if (grant == BudgetGrant.NONE) {
      return;
    }
    long unused = grant.end();
    if (unused >= 0) {
      spent.add(new EndedGrant(grant, unused));
    }
  }

  /** What was not spent goes back while it still counts. */
  private void timeIsOver(BudgetGrant grant) {
    synchronized (this) {
      retire(grant);
      if (current == grant) {
        current = next;
        next = BudgetGrant.NONE;
      } else if (next == grant) {
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
        ended(all).stream().map(caller::returnBudget).toArray(CompletableFuture<?>[]::new));
  }

  private synchronized List<EndedGrant> ended(boolean all) {
    long now = context.now();
    List<EndedGrant> back = spent.stream().filter(one -> all || one.unused() > 0).toList();
    spent.removeAll(back);
    spent.removeIf(one -> one.isIdle(now));
    forgetIfEmpty();
    return back;
  }

  private synchronized void forgetIfEmpty() {
    boolean holds = current != BudgetGrant.NONE || next != BudgetGrant.NONE || !spent.isEmpty();
    if (!holds && asking.isDone()) {
      context.lending().remove(this);
    }
  }
}
