package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.pipeline.ReserveResult;
import dev.plinth.ratelimit.pipeline.ReserveResult.ReserveSpec;
import dev.plinth.ratelimit.pipeline.ReserveResult.Settlement;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.SettleResponse;
import dev.plinth.server.call.FieldChecks;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Handles Reserve and Settle. */
record ReserveCalls(PolicyDecider decider, RateLimits limits) {
  private static final Duration MAX_WAIT = Duration.ofHours(1);
  private static final Duration MIN_TTL = Duration.ofMillis(1);
  private static final Duration DEFAULT_TTL = Duration.ofMinutes(1);
  private static final Duration MAX_TTL = Duration.ofHours(1);

  CompletionStage<ReserveResponse> reserve(String domain, ReserveRequest request) {
    ReserveSpec spec =
        new ReserveSpec(
            RateLimitWire.descriptors("descriptors", request.getDescriptorsList()),
            RateLimitWire.cost("cost", request.getCost()),
            RateLimitWire.micros(
                FieldChecks.duration(
                    "max_wait",
                    request.hasMaxWait() ? request.getMaxWait() : null,
                    Duration.ZERO,
                    Duration.ZERO,
                    MAX_WAIT)),
            RateLimitWire.micros(
                FieldChecks.duration(
                    "ttl",
                    request.hasTtl() ? request.getTtl() : null,
                    DEFAULT_TTL,
                    MIN_TTL,
                    MAX_TTL)),
            RateLimitWire.once("request_id", request.getRequestId(), request));
    return decider
        .decide(domain, 0, policy -> limits.reserve(policy, spec))
        .thenApply(ReserveCalls::response);
  }

  private static ReserveResponse response(ReserveResult reservation) {
    return ReserveResponse.newBuilder()
        .setReservationId(reservation.id())
        .setWait(RateLimitWire.duration(reservation.delay()))
        .setDecision(RateLimitWire.decision(reservation.decision(), false))
        .build();
  }

  CompletionStage<SettleResponse> settle(String domain, SettleRequest request) {
    String id =
        FieldChecks.name("reservation_id", request.getReservationId(), RateLimitWire.MAX_ID);
    long actual = FieldChecks.between("actual_cost", request.getActualCost(), 0, Limit.MAX_COST);
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    return limits.settle(domain, id, actual, once).thenApply(ReserveCalls::response);
  }

  private static SettleResponse response(Settlement settlement) {
    return SettleResponse.newBuilder()
        .setOutcome(
            settlement.found()
                ? SettleResponse.Outcome.OUTCOME_SETTLED
                : SettleResponse.Outcome.OUTCOME_NOT_FOUND)
        .setRefunded(settlement.refunded())
        .build();
  }
}
