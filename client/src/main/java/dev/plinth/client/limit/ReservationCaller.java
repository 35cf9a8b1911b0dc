package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.SettleResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Takes places in the future, and settles them. Each under one request id, so it is done once. */
record ReservationCaller(Limiter limiter, LimiterKey key, LimiterContext context) {
  private static final Duration FURTHEST = Duration.ofHours(1);
  private static final Duration FIND_OUT = Duration.ofMinutes(1);

  CompletableFuture<Optional<Reservation>> reserve(long cost, Duration maxWait) {
    ReserveRequest request = request(cost, maxWait);
    long sent = context.now();
    CompletableFuture<Optional<Reservation>> reserved = new CompletableFuture<>();
    context
        .caller()
        .sendWithRetry(
            RateLimitServiceGrpc.getReserveMethod(), request, context.runtime().operationTimeout())
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                hand(reservation(request, answer, sent), reserved);
              } else {
                reserved.completeExceptionally(failure);
                returnIfGranted(request, failure);
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
        .setDomain(key.domain())
        .addAllDescriptors(key.descriptors())
        .setCost(cost)
        .setMaxWait(ClientWire.duration(ClientWire.shorter(maxWait, FURTHEST)))
        .setRequestId(context.runtime().newRequestId())
        .build();
  }

  /** One attempt. */
  CompletableFuture<ReserveResponse> request(ReserveRequest request) {
    return context.caller().send(RateLimitServiceGrpc.getReserveMethod(), request);
  }

  Optional<Reservation> reservation(ReserveRequest request, ReserveResponse answer, long sent) {
    limiter.learn(request.getCost(), sent, answer.getDecision());
    if (!LimiterDecision.isAllowed(answer.getDecision())) {
      return Optional.empty();
    }
    return Optional.of(new Reservation(this, request.getCost(), answer, context.runtime().nanos()));
  }

  /** The same request again tells how it ended: the service keeps one answer per request id. */
  void returnIfGranted(ReserveRequest request, Throwable failure) {
    if (!RateLimitCaller.isSilence(failure)) {
      return;
    }
    context
        .caller()
        .sendWithRetry(RateLimitServiceGrpc.getReserveMethod(), request, FIND_OUT)
        .thenAccept(answer -> settle(answer.getReservationId(), 0));
  }

  <T> CompletableFuture<T> handed(CompletableFuture<T> answer) {
    return context.handed(answer);
  }

  /** A denial has no reservation; neither has what no rule limits. */
  CompletableFuture<Boolean> settle(String reservation, long actual) {
    if (reservation.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    SettleRequest request =
        SettleRequest.newBuilder()
            .setDomain(key.domain())
            .setReservationId(reservation)
            .setActualCost(actual)
            .setRequestId(context.runtime().newRequestId())
            .build();
    return context
        .caller()
        .sendWithRetry(
            RateLimitServiceGrpc.getSettleMethod(), request, context.runtime().operationTimeout())
        .thenApply(this::settled);
  }

  private boolean settled(SettleResponse answer) {
    if (answer.getRefunded() > 0) {
      limiter.refunded();
    }
    return answer.getOutcome() == SettleResponse.Outcome.OUTCOME_SETTLED;
  }
}
