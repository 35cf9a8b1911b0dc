package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.ReserveResult;
import dev.plinth.ratelimit.pipeline.ReserveResult.Settlement;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.SettleResponse;
import dev.plinth.server.call.FieldChecks;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;

/** Places in the near future. */
final class ReserveCalls {
  private static final Duration MOST_WAIT = Duration.ofHours(1);
  private static final Duration LEAST_TTL = Duration.ofMillis(1);
  private static final Duration USUAL_TTL = Duration.ofMinutes(1);
  private static final Duration MOST_TTL = Duration.ofHours(1);

  private final Deciding deciding;

  ReserveCalls(Deciding deciding) {
    this.deciding = deciding;
  }

  void reserve(ReserveRequest request, StreamObserver<ReserveResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    ReserveResult.ReserveSpec wish =
        new ReserveResult.ReserveSpec(
            RateLimitWire.descriptors("descriptors", request.getDescriptorsList()),
            RateLimitWire.cost("cost", request.getCost()),
            RateLimitWire.micros(
                FieldChecks.duration(
                    "max_wait",
                    request.hasMaxWait() ? request.getMaxWait() : null,
                    Duration.ZERO,
                    Duration.ZERO,
                    MOST_WAIT)),
            RateLimitWire.micros(
                FieldChecks.duration(
                    "ttl",
                    request.hasTtl() ? request.getTtl() : null,
                    USUAL_TTL,
                    LEAST_TTL,
                    MOST_TTL)),
            RateLimitWire.once("request_id", request.getRequestId(), request));
    Deciding.answer(
        deciding.decide(domain, 0, policy -> deciding.limits().reserve(policy, wish)),
        ReserveCalls::response,
        to);
  }

  private static ReserveResponse response(ReserveResult reservation) {
    return ReserveResponse.newBuilder()
        .setReservationId(reservation.id())
        .setWait(RateLimitWire.duration(reservation.delay()))
        .setDecision(RateLimitWire.decision(reservation.decision(), false))
        .build();
  }

  void settle(SettleRequest request, StreamObserver<SettleResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    String id =
        FieldChecks.name("reservation_id", request.getReservationId(), RateLimitWire.MOST_ID);
    long actual = RateLimitWire.between("actual_cost", request.getActualCost(), 0, Limit.MAX_COST);
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    Deciding.answer(deciding.limits().settle(domain, id, actual, once), ReserveCalls::response, to);
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
