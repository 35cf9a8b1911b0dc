package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ReserveResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One caller's wait for room: a place in the future if there is one within its time, else another
 * try when the service says that it may pass.
 */
final class BudgetWaiter {
  private static final Duration PAUSE = Duration.ofMillis(250);

  private final Limiter limiter;
  private final ReservationCaller reservations;
  private final LimiterContext context;
  private final long cost;
  private final long end;
  private final CompletableFuture<Boolean> mine = new CompletableFuture<>();

  BudgetWaiter(Limiter limiter, LimiterContext context, long cost, Duration wait) {
    this.limiter = limiter;
    this.reservations = limiter.reservations();
    this.context = context;
    this.cost = cost;
    this.end = context.now() + ClientWire.nanos(wait);
  }

  /** Goes by the fail mode when the client is closed: no timer and no answer would end it then. */
  CompletableFuture<Boolean> start() {
    CompletableFuture<Void> open = context.caller().kept(new CompletableFuture<>());
    mine.whenComplete((done, failure) -> open.complete(null));
    open.whenComplete(
        (done, closed) -> {
          if (closed != null) {
            mine.complete(limiter.unavailable().allowed());
          }
        });
    take(reservations.request(cost, left()));
    return mine;
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(0, end - context.now()));
  }

  private void retry() {
    if (mine.isDone()) {
      return;
    }
    if (limiter.paid(cost)) {
      mine.complete(true); // if nobody waits for it any more it was spent in vain, and safely
    } else {
      take(reservations.request(cost, left()));
    }
  }

  private void take(ReserveRequest request) {
    if (opensAtOnce()) {
      mine.complete(limiter.unavailable().allowed());
      return;
    }
    long sent = context.now();
    reservations
        .request(request)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                answered(request, answer, sent);
              } else if (RateLimitCaller.isSilence(failure)) {
                unanswered(request, failure);
              } else {
                mine.completeExceptionally(failure);
              }
            });
  }

  private boolean opensAtOnce() {
    return context.options().onUnavailable() == OnUnavailable.OPEN
        && !context.breaker().mayCall(context.now());
  }

  private void answered(ReserveRequest request, ReserveResponse answer, long sent) {
    context.breaker().answered();
    Optional<Reservation> place = reservations.reservation(request, answer, sent);
    if (place.isEmpty()) {
      denied(answer.getDecision());
    } else if (mine.isDone()) {
      place.get().settleAsync(0);
    } else {
      context.caller().after(place.get().delay(), () -> act(place.get()));
      mine.whenComplete((done, failure) -> place.get().close());
    }
  }

  private void act(Reservation place) {
    if (!place.delay().isZero()) { // a timer may be early
      context.caller().after(place.delay(), () -> act(place));
    } else if (mine.complete(true)) {
      context.events().answered(true, DecisionSource.SERVICE);
    }
  }

  /** A rule that fails closed may open at any time; no other denial without a time ever ends. */
  private void denied(Decision decision) {
    Optional<Duration> pause =
        decision.getDecidedBy() == DecidedBy.DECIDED_BY_CLOSED
            ? Optional.of(PAUSE)
            : LimiterDecision.retryAfter(decision);
    if (pause.isEmpty() || pause.get().compareTo(left()) >= 0) {
      context.events().answered(false, DecisionSource.SERVICE);
      mine.complete(false);
    } else {
      context.caller().after(pause.get(), this::retry);
    }
  }

  /** The same request again, since the place may have been given. */
  private void unanswered(ReserveRequest request, Throwable failure) {
    context.breaker().silent(context.now());
    if (context.options().onUnavailable() == OnUnavailable.OPEN) {
      mine.complete(limiter.unavailable().allowed());
    } else if (!mine.isDone() && PAUSE.compareTo(left()) < 0) {
      context.caller().after(PAUSE, () -> take(request));
    } else {
      mine.complete(limiter.unavailable().allowed());
      reservations.returnIfGranted(request, failure);
    }
  }
}
