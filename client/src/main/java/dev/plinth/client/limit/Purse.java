package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.BudgetLease;
import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse.Outcome;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.ReturnBudgetRequest;
import dev.plinth.ratelimit.v1.ReturnBudgetResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
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
  private static final Duration AFTER_DENIAL = Duration.ofMillis(50);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration NOT_LEASABLE_FOR = Duration.ofSeconds(10);
  private static final long MOST = 1_000_000_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Subject subject;
  private final Wiring wiring;
  private final Rate rate = new Rate();
  private final ArrayDeque<Spent> spent = new ArrayDeque<>();
  private volatile Grant current = Grant.NONE;
  private volatile Grant next = Grant.NONE;
  private volatile boolean asking;
  private volatile long notBefore;
  private volatile long unleasableVersion = -1;
  private boolean closed;

  /** A lease that is no longer spent. */
  private record Spent(Grant grant, long unused) {}

  Purse(Subject subject, Wiring wiring) {
    this.subject = subject;
    this.wiring = wiring;
    this.notBefore = wiring.now();
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

  /** A decision by another policy than the one that had no leases: worth another try. */
  void sawPolicy(long version) {
    if (unleasableVersion >= 0 && version != unleasableVersion) {
      unleasableVersion = -1;
      notBefore = wiring.now();
    }
  }

  private boolean mayAsk(long now) {
    return !asking && next == Grant.NONE && now - notBefore >= 0;
  }

  /** For as much as will be spent in the time of a lease. */
  private void ask(long perSecond, long cost, long validFor) {
    long forATime = (long) Math.ceil(perSecond * (validFor / NANOS_PER_SECOND));
    LeaseBudgetRequest.Builder request =
        LeaseBudgetRequest.newBuilder()
            .setDomain(subject.domain())
            .addAllDescriptors(subject.descriptors())
            .setWant(Math.min(MOST, Math.max(cost, forATime)))
            .setHolder(wiring.holder());
    long sent = wiring.now();
    Spent back;
    synchronized (this) {
      if (closed || !mayAsk(sent)) {
        return;
      }
      asking = true;
      back = worthReturning(sent);
    }
    if (back != null) {
      request.setReturnLeaseId(back.grant.id()).setReturnUnused(back.unused);
    }
    wiring
        .asks()
        .send(
            RateLimitServiceGrpc.getLeaseBudgetMethod(),
            request.build(),
            wiring.options().deadline())
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                answered(answer, sent);
              } else {
                failed(back);
              }
            });
  }

  /** Even with nothing left in it: while it is out, the service lends others less. */
  private Spent worthReturning(long now) {
    Spent first = spent.poll();
    while (first != null && first.unused == 0 && first.grant.isOver(now)) {
      first = spent.poll();
    }
    return first;
  }

  private void answered(LeaseBudgetResponse answer, long sent) {
    wiring.events().leaseAsked(name(answer.getOutcome()));
    BudgetLease lease = answer.getLease();
    if (answer.getOutcome() == Outcome.OUTCOME_LEASED && lease.getGranted() > 0) {
      long validFor = Wire.duration(lease.getValidFor()).toNanos();
      wiring.events().leased(lease.getGranted());
      take(new Grant(lease.getLeaseId(), lease.getGranted(), sent, validFor));
    } else if (answer.getOutcome() == Outcome.OUTCOME_NOT_LEASABLE) {
      unleasableVersion = answer.getPolicyVersion();
      pause(NOT_LEASABLE_FOR);
    } else {
      Duration told = Wire.duration(answer.getRetryAfter());
      pause(told.compareTo(AFTER_DENIAL) > 0 ? told : AFTER_DENIAL);
    }
  }

  private static String name(Outcome outcome) {
    return switch (outcome) {
      case OUTCOME_LEASED -> "LEASED";
      case OUTCOME_NOT_LEASABLE -> "NOT_LEASABLE";
      default -> "DENIED";
    };
  }

  private void failed(Spent back) {
    wiring.events().leaseAsked("FAILED");
    synchronized (this) {
      if (back != null) {
        spent.addFirst(back); // given back twice it counts once
      }
    }
    if (back != null && back.grant.isOver(wiring.now())) {
      giveBack(false);
    }
    pause(AFTER_FAILURE);
  }

  private void pause(Duration time) {
    notBefore = wiring.now() + time.toNanos();
    asking = false;
  }

  private void take(Grant grant) {
    wiring.lending().add(this);
    long now = wiring.now();
    boolean useless;
    synchronized (this) {
      useless = closed || grant.isOver(now);
      if (useless) {
        retire(grant);
      } else if (current.has(1) && !current.isOver(now)) {
        next = grant;
      } else {
        retire(current);
        current = grant;
      }
    }
    asking = false;
    if (useless) {
      giveBack(false);
    } else {
      wiring.asks().after(Duration.ofNanos(grant.deadline() - now), () -> timeIsOver(grant));
    }
  }

  /** Under the lock. */
  private void retire(Grant grant) {
    long unused = grant.end();
    if (grant != Grant.NONE && unused >= 0) {
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
    synchronized (this) {
      closed = true;
    }
    return giveBackAll();
  }

  /**
   * @param all also those with nothing left in them, which else go along with the next request
   */
  private CompletableFuture<Void> giveBack(boolean all) {
    return CompletableFuture.allOf(
        endedNow(all).stream().map(this::giveBack).toArray(CompletableFuture<?>[]::new));
  }

  private synchronized List<Spent> endedNow(boolean all) {
    long now = wiring.now();
    List<Spent> back = spent.stream().filter(one -> all || one.unused > 0).toList();
    spent.removeAll(back);
    spent.removeIf(one -> one.grant.isOver(now));
    if (current == Grant.NONE && next == Grant.NONE && spent.isEmpty()) {
      wiring.lending().remove(this);
    }
    return back;
  }

  private CompletableFuture<ReturnBudgetResponse> giveBack(Spent over) {
    wiring.events().unused(over.unused);
    ReturnBudgetRequest request =
        ReturnBudgetRequest.newBuilder()
            .setDomain(subject.domain())
            .setLeaseId(over.grant.id())
            .setUnused(over.unused)
            .build();
    return wiring
        .asks()
        .insist(
            RateLimitServiceGrpc.getReturnBudgetMethod(),
            request,
            wiring.options().deadline(),
            Duration.ofNanos(over.grant.validFor()));
  }
}
