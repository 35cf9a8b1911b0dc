package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.SettleResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Takes places in the future, and settles them. Each under one request id, so it is done once. */
final class Places {
  private static final Duration FURTHEST = Duration.ofHours(1);
  private static final Duration FIND_OUT = Duration.ofMinutes(1);

  private final Limiter limiter;
  private final Subject subject;
  private final Wiring wiring;

  Places(Limiter limiter, Subject subject, Wiring wiring) {
    this.limiter = limiter;
    this.subject = subject;
    this.wiring = wiring;
  }

  CompletableFuture<Optional<Reservation>> reserve(long cost, Duration maxWait) {
    ReserveRequest request = request(cost, maxWait);
    long sent = wiring.now();
    CompletableFuture<Optional<Reservation>> reserved = new CompletableFuture<>();
    wiring
        .asks()
        .insist(RateLimitServiceGrpc.getReserveMethod(), request, wiring.patience())
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                hand(reservation(request, answer, sent), reserved);
              } else {
                reserved.completeExceptionally(failure);
                giveBackIfGiven(request, failure);
              }
            });
    return reserved;
  }

  private static void hand(
      Optional<Reservation> place, CompletableFuture<Optional<Reservation>> to) {
    if (!to.complete(place)) { // it was given up
      place.ifPresent(unwanted -> unwanted.settleAsync(0));
    }
  }

  ReserveRequest request(long cost, Duration maxWait) {
    return ReserveRequest.newBuilder()
        .setDomain(subject.domain())
        .addAllDescriptors(subject.descriptors())
        .setCost(cost)
        .setMaxWait(Wire.duration(Wire.shorter(maxWait, FURTHEST)))
        .setRequestId(Wire.newRequestId())
        .build();
  }

  /** One attempt. */
  CompletableFuture<ReserveResponse> ask(ReserveRequest request) {
    return wiring
        .asks()
        .send(RateLimitServiceGrpc.getReserveMethod(), request, wiring.options().deadline());
  }

  Optional<Reservation> reservation(ReserveRequest request, ReserveResponse answer, long sent) {
    limiter.learn(request.getCost(), sent, answer.getDecision());
    if (!Wire.isAllowed(answer.getDecision())) {
      return Optional.empty();
    }
    return Optional.of(new Reservation(this, request.getCost(), answer, wiring.nanos()));
  }

  /** The same request again tells how it ended: the service keeps one answer per request id. */
  void giveBackIfGiven(ReserveRequest request, Throwable failure) {
    if (!Asks.isSilence(failure)) {
      return;
    }
    wiring
        .asks()
        .insist(RateLimitServiceGrpc.getReserveMethod(), request, FIND_OUT)
        .thenAccept(answer -> settle(answer.getReservationId(), 0));
  }

  <T> CompletableFuture<T> handed(CompletableFuture<T> answer) {
    return wiring.handed(answer);
  }

  /** A denial has no reservation; neither has what no rule limits. */
  CompletableFuture<Boolean> settle(String reservation, long actual) {
    if (reservation.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    SettleRequest request =
        SettleRequest.newBuilder()
            .setDomain(subject.domain())
            .setReservationId(reservation)
            .setActualCost(actual)
            .setRequestId(Wire.newRequestId())
            .build();
    return wiring
        .asks()
        .insist(RateLimitServiceGrpc.getSettleMethod(), request, wiring.patience())
        .thenApply(this::settled);
  }

  private boolean settled(SettleResponse answer) {
    if (answer.getRefunded() > 0) {
      limiter.refunded();
    }
    return answer.getOutcome() == SettleResponse.Outcome.OUTCOME_SETTLED;
  }
}
