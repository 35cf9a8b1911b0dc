package dev.plinth.ratelimit.grpc;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.pipeline.AcquireSlotResult;
import dev.plinth.ratelimit.pipeline.AcquireSlotResult.AcquireSlotSpec;
import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.RateLimits;
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
import io.grpc.Context;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Handles AcquireSlot, RenewSlot and ReleaseSlot. */
record SlotCalls(PolicyDecider decider, RateLimits limits) {
  private static final Logger log = System.getLogger("plinth.ratelimit");
  private static final Duration MIN_TTL = Duration.ofMillis(100);
  private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);
  private static final Duration MAX_TTL = Duration.ofHours(1);

  private static long ttl(boolean given, com.google.protobuf.Duration ttl) {
    return RateLimitWire.micros(
        FieldChecks.duration("ttl", given ? ttl : null, DEFAULT_TTL, MIN_TTL, MAX_TTL));
  }

  CompletionStage<AcquireSlotResponse> acquire(String domain, AcquireSlotRequest request) {
    String holder =
        FieldChecks.optionalName("holder", request.getHolder(), RateLimitWire.MAX_HOLDER);
    AcquireSlotSpec spec =
        new AcquireSlotSpec(
            RateLimitWire.descriptors("descriptors", request.getDescriptorsList()),
            ttl(request.hasTtl(), request.getTtl()),
            RateLimitWire.once("request_id", request.getRequestId(), request));
    Context caller = Context.current();
    return decider
        .decide(domain, 0, policy -> limits.acquireSlot(policy, spec))
        .thenApply(
            grant -> {
              log.log(Level.DEBUG, "{0} has {1} in {2}", holder, grant, domain);
              AcquireSlotResponse response = response(domain, grant);
              // Nobody knows the slot then, unless the same request id asks for it again.
              boolean lost = caller.isCancelled() && request.getRequestId().isEmpty();
              if (grant.acquired() && lost) {
                limits.releaseSlot(domain, grant.slot(), Optional.empty());
              }
              return response;
            });
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

  CompletionStage<RenewSlotResponse> renew(String domain, RenewSlotRequest request) {
    String slot = FieldChecks.name("slot_id", request.getSlotId(), RateLimitWire.MAX_ID);
    long ttl = ttl(request.hasTtl(), request.getTtl());
    return limits
        .renewSlot(domain, slot, ttl)
        .thenApply(
            held ->
                held
                    ? RenewSlotResponse.newBuilder()
                        .setOutcome(RenewSlotResponse.Outcome.OUTCOME_RENEWED)
                        .setValidFor(RateLimitWire.duration(ttl))
                        .build()
                    : RenewSlotResponse.newBuilder()
                        .setOutcome(RenewSlotResponse.Outcome.OUTCOME_LOST)
                        .build());
  }

  CompletionStage<ReleaseSlotResponse> release(String domain, ReleaseSlotRequest request) {
    String slot = FieldChecks.name("slot_id", request.getSlotId(), RateLimitWire.MAX_ID);
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    return limits
        .releaseSlot(domain, slot, once)
        .thenApply(
            held ->
                ReleaseSlotResponse.newBuilder()
                    .setOutcome(
                        held
                            ? ReleaseSlotResponse.Outcome.OUTCOME_RELEASED
                            : ReleaseSlotResponse.Outcome.OUTCOME_NOT_HELD)
                    .build());
  }
}
