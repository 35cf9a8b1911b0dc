package dev.plinth.ratelimit.grpc;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.pipeline.AcquireSlotResult;
import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.AcquireSlotResponse;
import dev.plinth.ratelimit.v1.ReleaseSlotRequest;
import dev.plinth.ratelimit.v1.ReleaseSlotResponse;
import dev.plinth.ratelimit.v1.RenewSlotRequest;
import dev.plinth.ratelimit.v1.RenewSlotResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Places in concurrency rules. */
final class SlotCalls {
  private static final Logger log = System.getLogger("plinth.ratelimit");
  private static final Duration LEAST_TTL = Duration.ofMillis(100);
  private static final Duration USUAL_TTL = Duration.ofSeconds(30);
  private static final Duration MOST_TTL = Duration.ofHours(1);

  private final Deciding deciding;

  SlotCalls(Deciding deciding) {
    this.deciding = deciding;
  }

  private static long ttl(boolean given, com.google.protobuf.Duration ttl) {
    return RateLimitWire.micros(
        FieldChecks.duration("ttl", given ? ttl : null, USUAL_TTL, LEAST_TTL, MOST_TTL));
  }

  void acquire(AcquireSlotRequest request, StreamObserver<AcquireSlotResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    String holder =
        FieldChecks.optionalName("holder", request.getHolder(), RateLimitWire.MOST_HOLDER);
    AcquireSlotResult.AcquireSlotSpec wish =
        new AcquireSlotResult.AcquireSlotSpec(
            RateLimitWire.descriptors("descriptors", request.getDescriptorsList()),
            ttl(request.hasTtl(), request.getTtl()),
            RateLimitWire.once("request_id", request.getRequestId(), request));
    Deciding.answer(
        deciding.decide(domain, 0, policy -> deciding.limits().acquireSlot(policy, wish)),
        grant -> {
          log.log(Level.DEBUG, "{0} has {1} in {2}", holder, grant, domain);
          AcquireSlotResponse response = response(domain, grant);
          if (grant.acquired() && wish.idempotencyKey().isEmpty() && isGone(to)) {
            deciding.limits().releaseSlot(domain, grant.slot(), Optional.empty());
          }
          return response;
        },
        to);
  }

  /** Nobody knows the slot then, unless the same request id asks for it again. */
  private static boolean isGone(StreamObserver<?> to) {
    return to instanceof ServerCallStreamObserver<?> call && call.isCancelled();
  }

  private static AcquireSlotResponse response(String domain, AcquireSlotResult grant) {
    if (grant.decidedBy() == DecidedBy.NO_RULE) {
      throw new Failure.Forbidden(
          ErrorReason.ERROR_REASON_NO_RULE,
          "domain " + domain,
          "no concurrency rule of the policy matches the descriptors",
          Map.of("domain", domain, "policyVersion", String.valueOf(grant.policyVersion())));
    }
    AcquireSlotResponse.Builder response =
        AcquireSlotResponse.newBuilder()
            .setPolicyVersion(grant.policyVersion())
            .setDecidedBy(RateLimitWire.decidedBy(grant.decidedBy()));
    grant.limits().forEach(limit -> response.addLimits(RateLimitWire.status(limit)));
    if (grant.acquired()) {
      response.setOutcome(AcquireSlotResponse.Outcome.OUTCOME_ACQUIRED);
      response
          .getSlotBuilder()
          .setSlotId(grant.slot())
          .setToken(grant.token())
          .setValidFor(RateLimitWire.duration(grant.validFor()));
    } else {
      response.setOutcome(AcquireSlotResponse.Outcome.OUTCOME_FULL);
      if (grant.retry() != Outcome.NEVER) {
        response.setRetryAfter(RateLimitWire.duration(grant.retry()));
      }
    }
    return response.build();
  }

  void renew(RenewSlotRequest request, StreamObserver<RenewSlotResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    String slot = FieldChecks.name("slot_id", request.getSlotId(), RateLimitWire.MOST_ID);
    long ttl = ttl(request.hasTtl(), request.getTtl());
    Deciding.answer(
        deciding.limits().renewSlot(domain, slot, ttl),
        held ->
            held
                ? RenewSlotResponse.newBuilder()
                    .setOutcome(RenewSlotResponse.Outcome.OUTCOME_RENEWED)
                    .setValidFor(RateLimitWire.duration(ttl))
                    .build()
                : RenewSlotResponse.newBuilder()
                    .setOutcome(RenewSlotResponse.Outcome.OUTCOME_LOST)
                    .build(),
        to);
  }

  void release(ReleaseSlotRequest request, StreamObserver<ReleaseSlotResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    String slot = FieldChecks.name("slot_id", request.getSlotId(), RateLimitWire.MOST_ID);
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    Deciding.answer(
        deciding.limits().releaseSlot(domain, slot, once),
        held ->
            ReleaseSlotResponse.newBuilder()
                .setOutcome(
                    held
                        ? ReleaseSlotResponse.Outcome.OUTCOME_RELEASED
                        : ReleaseSlotResponse.Outcome.OUTCOME_NOT_HELD)
                .build(),
        to);
  }
}
