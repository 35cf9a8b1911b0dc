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
final class Purse {
  private static final Duration FIRST_GUESS = Duration.ofMillis(500);
  private static final double NANOS_PER_SECOND = 1e9;

  private final Wiring wiring;
  private final Bank bank;
  private final Wishes wishes;
  private final Rate rate = new Rate();
  private final ArrayDeque<Spent> spent = new ArrayDeque<>();
  private volatile Grant current = Grant.NONE;
  private volatile Grant next = Grant.NONE;
  // The request under way, if any: what it brings must go back too if this is closed meanwhile.
  private CompletableFuture<Void> asking = CompletableFuture.completedFuture(null);
  private boolean closed;

  Purse(Subject subject, Wiring wiring) {
    this.wiring = wiring;
    this.bank = new Bank(subject, wiring);
    this.wishes = new Wishes(wiring.now());
  }

  /** Whether it is paid, and may be done now. */
  boolean pay(long cost) {
    Grant grant = current;
    while (!paidBy(grant, cost)) {
      Grant following = following(grant, cost);
      if (following == grant) {
        return false;
      }
      grant = following;
    }
    return true;
  }

  private boolean paidBy(Grant grant, long cost) {
    long rest = grant.take(cost);
    if (rest < 0) {
      return false;
    }
    long now = wiring.now();
    if (grant.isOver(now)) {
      wiring.events().stale(cost);
      return false;
    }
    if (grant.runsLow(rest, now) && mayAsk(now)) {
      long perSecond = grant.perSecond(now);
      if (perSecond >= wiring.options().leaseAbove()) {
        ask(perSecond, cost, grant.validFor());
      }
    }
    return true;
  }

  /** The one to try after {@code grant} could not pay; itself if there is none. */
  private Grant following(Grant grant, long cost) {
    if (current != grant || next == Grant.NONE) {
      return current;
    }
    synchronized (this) {
      boolean helps = next.has(cost) || !grant.has(1) || grant.isOver(wiring.now());
      if (current == grant && next != Grant.NONE && helps) {
        retire(grant);
        current = next;
        next = Grant.NONE;
      }
      return current;
    }
  }

  /** Something is asked of the service, since nothing here could pay it. */
  void missed(long cost) {
    LimitOptions options = wiring.options();
    if (!options.leases()) {
      return;
    }
    long now = wiring.now();
    if (rate.add(cost, now) > options.leaseAbove() && mayAsk(now)) {
      ask(rate.unitsPerSecond(now), cost, FIRST_GUESS.toNanos());
    }
  }

  void sawPolicy(long version) {
    wishes.sawPolicy(wiring.now(), version);
  }

  private boolean mayAsk(long now) {
    return next == Grant.NONE && wishes.mayAsk(now);
  }

  /** For as much as will be spent in the time of a lease. */
  private void ask(long perSecond, long cost, long validFor) {
    long sent = wiring.now();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Optional<Spent> back;
    synchronized (this) {
      if (closed || next != Grant.NONE || !wishes.begin(sent)) {
        return;
      }
      spent.removeIf(one -> one.isIdle(sent));
      back = Optional.ofNullable(spent.poll());
      asking = done;
      wiring.lending().add(this);
    }
    long forATime = (long) Math.ceil(perSecond * (validFor / NANOS_PER_SECOND));
    bank.lease(Math.max(cost, forATime), back)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                back.ifPresent(one -> wiring.events().unused(one.unused()));
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
    wiring.events().leaseAsked(name(answer.getOutcome()));
    BudgetLease lease = answer.getLease();
    if (answer.getOutcome() == Outcome.OUTCOME_LEASED && lease.getGranted() > 0) {
      long validFor = Wire.duration(lease.getValidFor()).toNanos();
      wiring.events().leased(lease.getGranted());
      take(new Grant(lease.getLeaseId(), lease.getGranted(), sent, validFor));
      wishes.granted();
    } else if (answer.getOutcome() == Outcome.OUTCOME_NOT_LEASABLE) {
      wishes.notLeasable(wiring.now(), answer.getPolicyVersion());
    } else {
      wishes.denied(wiring.now(), Wire.duration(answer.getRetryAfter()));
    }
  }

  private static String name(Outcome outcome) {
    return switch (outcome) {
      case OUTCOME_LEASED -> "LEASED";
      case OUTCOME_NOT_LEASABLE -> "NOT_LEASABLE";
      default -> "DENIED";
    };
  }

  private void failed(Optional<Spent> back) {
    wiring.events().leaseAsked("FAILED");
    if (back.isPresent()) {
      synchronized (this) {
        spent.addFirst(back.get()); // whether it went back or not
      }
      if (back.get().grant().isOver(wiring.now())) {
        giveBack(false);
      }
    }
    wishes.failed(wiring.now());
  }

  private void take(Grant grant) {
    long now = wiring.now();
    boolean useless;
    synchronized (this) {
      if (closed) {
        retire(grant); // whoever closed this waits for it
        return;
      }
      useless = grant.isOver(now);
      if (useless) {
        retire(grant);
      } else if (current.has(1) && !current.isOver(now)) {
        next = grant;
      } else {
        retire(current);
        current = grant;
      }
    }
    if (useless) {
      giveBack(false);
    } else {
      wiring.asks().after(Duration.ofNanos(grant.deadline() - now), () -> timeIsOver(grant));
    }
  }

  /** Under the lock. */
  private void retire(Grant grant) {
    if (grant == Grant.NONE) {
      return;
    }
    long unused = grant.end();
    if (unused >= 0) {
      spent.add(new Spent(grant, unused));
    }
  }

  /** What was not spent goes back while it still counts. */
  private void timeIsOver(Grant grant) {
    synchronized (this) {
      retire(grant);
      if (current == grant) {
        current = next;
        next = Grant.NONE;
      } else if (next == grant) {
        next = Grant.NONE;
      }
    }
    giveBack(false);
  }

  /** Lets go of all there is. Used again, it leases anew; not so after {@link #close}. */
  CompletableFuture<Void> giveBackAll() {
    synchronized (this) {
      retire(current);
      retire(next);
      current = Grant.NONE;
      next = Grant.NONE;
    }
    return giveBack(true);
  }

  CompletableFuture<Void> close() {
    CompletableFuture<Void> underWay;
    synchronized (this) {
      closed = true;
      underWay = asking;
    }
    return CompletableFuture.allOf(giveBackAll(), underWay.thenCompose(done -> giveBack(true)));
  }

  /**
   * @param all also those with nothing left in them, which else go along with the next request
   */
  private CompletableFuture<Void> giveBack(boolean all) {
    return CompletableFuture.allOf(
        ended(all).stream().map(bank::giveBack).toArray(CompletableFuture<?>[]::new));
  }

  private synchronized List<Spent> ended(boolean all) {
    long now = wiring.now();
    List<Spent> back = spent.stream().filter(one -> all || one.unused() > 0).toList();
    spent.removeAll(back);
    spent.removeIf(one -> one.isIdle(now));
    forgetIfEmpty();
    return back;
  }

  private synchronized void forgetIfEmpty() {
    boolean holds = current != Grant.NONE || next != Grant.NONE || !spent.isEmpty();
    if (!holds && asking.isDone()) {
      wiring.lending().remove(this);
    }
  }
}
