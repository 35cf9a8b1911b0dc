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
final class ReservationCaller {
  private static final Duration FURTHEST = Duration.ofHours(1);
  private static final Duration FIND_OUT = Duration.ofMinutes(1);

  private final Limiter limiter;
  private final LimiterKey limiterKey;
  private final LimiterContext limiterContext;

  ReservationCaller(Limiter limiter, LimiterKey limiterKey, LimiterContext limiterContext) {
    this.limiter = limiter;
    this.limiterKey = limiterKey;
    this.limiterContext = limiterContext;
  }

  CompletableFuture<Optional<Reservation>> reserve(long cost, Duration maxWait) {
    ReserveRequest request = request(cost, maxWait);
    long sent = limiterContext.now();
    CompletableFuture<Optional<Reservation>> reserved = new CompletableFuture<>();
    limiterContext
        .rateLimitCaller()
        .sendWithRetry(RateLimitServiceGrpc.getReserveMethod(), request, limiterContext.timeout())
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
        .setDomain(limiterKey.domain())
        .addAllDescriptors(limiterKey.descriptors())
        .setCost(cost)
        .setMaxWait(LimitWire.duration(LimitWire.shorter(maxWait, FURTHEST)))
        .setRequestId(LimitWire.newRequestId())
        .build();
  }

  /** One attempt. */
  CompletableFuture<ReserveResponse> request(ReserveRequest request) {
    return limiterContext
        .rateLimitCaller()
        .send(
            RateLimitServiceGrpc.getReserveMethod(), request, limiterContext.options().deadline());
  }

  Optional<Reservation> reservation(ReserveRequest request, ReserveResponse answer, long sent) {
    limiter.learn(request.getCost(), sent, answer.getDecision());
    if (!LimitWire.isAllowed(answer.getDecision())) {
      return Optional.empty();
    }
    return Optional.of(new Reservation(this, request.getCost(), answer, limiterContext.nanos()));
  }

  /** The same request again tells how it ended: the service keeps one answer per request id. */
  void returnIfGranted(ReserveRequest request, Throwable failure) {
    if (!RateLimitCaller.isSilence(failure)) {
      return;
    }
    limiterContext
        .rateLimitCaller()
        .sendWithRetry(RateLimitServiceGrpc.getReserveMethod(), request, FIND_OUT)
        .thenAccept(answer -> settle(answer.getReservationId(), 0));
  }

  <T> CompletableFuture<T> handed(CompletableFuture<T> answer) {
    return limiterContext.handed(answer);
  }

  /** A denial has no reservation; neither has what no rule limits. */
  CompletableFuture<Boolean> settle(String reservation, long actual) {
    if (reservation.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    SettleRequest request =
        SettleRequest.newBuilder()
            .setDomain(limiterKey.domain())
            .setReservationId(reservation)
            .setActualCost(actual)
            .setRequestId(LimitWire.newRequestId())
            .build();
    return limiterContext
        .rateLimitCaller()
        .sendWithRetry(RateLimitServiceGrpc.getSettleMethod(), request, limiterContext.timeout())
        .thenApply(this::settled);
  }

  private boolean settled(SettleResponse answer) {
    if (answer.getRefunded() > 0) {
      limiter.refunded();
    }
    return answer.getOutcome() == SettleResponse.Outcome.OUTCOME_SETTLED;
  }
}
