package dev.plinth.client.limit;

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
final class Turn {
  private static final Duration PAUSE = Duration.ofMillis(250);

  private final Limiter limiter;
  private final Places places;
  private final Wiring wiring;
  private final long cost;
  private final long end;
  private final CompletableFuture<Boolean> mine = new CompletableFuture<>();

  Turn(Limiter limiter, Wiring wiring, long cost, Duration wait) {
    this.limiter = limiter;
    this.places = limiter.places();
    this.wiring = wiring;
    this.cost = cost;
    this.end = wiring.now() + wait.toNanos();
  }

  CompletableFuture<Boolean> start() {
    ask(places.request(cost, left()));
    return mine;
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(0, end - wiring.now()));
  }

  private void again() {
    if (mine.isDone()) {
      return;
    }
    if (limiter.paid(cost)) {
      mine.complete(true); // if nobody waits for it any more it was spent in vain, and safely
    } else {
      ask(places.request(cost, left()));
    }
  }

  private void ask(ReserveRequest request) {
    if (opensAtOnce()) {
      mine.complete(limiter.unavailable().allowed());
      return;
    }
    long sent = wiring.now();
    places
        .ask(request)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                answered(request, answer, sent);
              } else if (Asks.isSilence(failure)) {
                unanswered(request, failure);
              } else {
                mine.completeExceptionally(failure);
              }
            });
  }

  private boolean opensAtOnce() {
    return wiring.options().onUnavailable() == OnUnavailable.OPEN
        && !wiring.reach().mayAsk(wiring.now());
  }

  private void answered(ReserveRequest request, ReserveResponse answer, long sent) {
    wiring.reach().answered();
    Optional<Reservation> place = places.reservation(request, answer, sent);
    if (place.isEmpty()) {
      denied(answer.getDecision());
    } else if (mine.isDone()) {
      place.get().settleAsync(0);
    } else {
      wiring.asks().after(place.get().delay(), () -> act(place.get()));
      mine.whenComplete((done, failure) -> place.get().close());
    }
  }

  private void act(Reservation place) {
    if (!place.delay().isZero()) { // a timer may be early
      wiring.asks().after(place.delay(), () -> act(place));
    } else if (mine.complete(true)) {
      wiring.events().answered(true, Source.SERVICE);
    }
  }

  /** A rule that fails closed may open at any time; no other denial without a time ever ends. */
  private void denied(Decision decision) {
    Optional<Duration> pause =
        decision.getDecidedBy() == DecidedBy.DECIDED_BY_CLOSED
            ? Optional.of(PAUSE)
            : Wire.retryAfter(decision);
    if (pause.isEmpty() || pause.get().compareTo(left()) >= 0) {
      wiring.events().answered(false, Source.SERVICE);
      mine.complete(false);
    } else {
      wiring.asks().after(pause.get(), this::again);
    }
  }

  /** The same request again, since the place may have been given. */
  private void unanswered(ReserveRequest request, Throwable failure) {
    wiring.reach().silent(wiring.now());
    if (wiring.options().onUnavailable() == OnUnavailable.OPEN) {
      mine.complete(limiter.unavailable().allowed());
    } else if (!mine.isDone() && PAUSE.compareTo(left()) < 0) {
      wiring.asks().after(PAUSE, () -> ask(request));
    } else {
      mine.complete(limiter.unavailable().allowed());
      places.giveBackIfGiven(request, failure);
    }
  }
}
