package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.LeaseBudgetResult;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.LeaseBudgetSpec;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.UnusedBudget;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.pipeline.ReserveResult.Settlement;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import dev.plinth.ratelimit.v1.ReturnBudgetRequest;
import dev.plinth.ratelimit.v1.ReturnBudgetResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Handles LeaseBudget and ReturnBudget. */
record BudgetLeaseCalls(PolicyDecider decider, RateLimits limits) {
  private static final Logger log = System.getLogger("plinth.ratelimit");

  CompletionStage<LeaseBudgetResponse> lease(String domain, LeaseBudgetRequest request) {
    String holder =
        FieldChecks.optionalName("holder", request.getHolder(), RateLimitWire.MAX_HOLDER);
    LeaseBudgetSpec spec =
        new LeaseBudgetSpec(
            RateLimitWire.descriptors("descriptors", request.getDescriptorsList()),
            FieldChecks.between("want", request.getWant(), 1, Limit.MAX_COST),
            earlier(request),
            RateLimitWire.once("request_id", request.getRequestId(), request));
    return decider
        .decide(domain, 0, policy -> limits.lease(policy, spec))
        .thenApply(
            lease -> {
              log.log(Level.DEBUG, "{0} has {1} in {2}", holder, lease, domain);
              return response(lease);
            });
  }

  private static Optional<UnusedBudget> earlier(LeaseBudgetRequest request) {
    String id =
        FieldChecks.optionalName(
            "return_lease_id", request.getReturnLeaseId(), RateLimitWire.MAX_ID);
    long unused =
        FieldChecks.between("return_unused", request.getReturnUnused(), 0, Limit.MAX_COST);
    if (id.isEmpty() && unused > 0) {
      throw Failure.Invalid.field("return_unused", unused, "0 without return_lease_id");
    }
    return id.isEmpty() ? Optional.empty() : Optional.of(new UnusedBudget(id, unused));
  }

  private static LeaseBudgetResponse response(LeaseBudgetResult lease) {
    LeaseBudgetResponse.Builder response =
        LeaseBudgetResponse.newBuilder().setPolicyVersion(lease.policyVersion());
    if (lease instanceof LeaseBudgetResult.Leased leased) {
      response.setOutcome(LeaseBudgetResponse.Outcome.OUTCOME_LEASED);
      response
          .getLeaseBuilder()
          .setLeaseId(leased.id())
          .setGranted(leased.granted())
          .setValidFor(RateLimitWire.duration(leased.validFor()))
          .setPolicyVersion(leased.policyVersion());
    } else if (lease instanceof LeaseBudgetResult.Denied nothing) {
      response.setOutcome(LeaseBudgetResponse.Outcome.OUTCOME_DENIED);
      if (nothing.retry() != Outcome.NEVER) {
        response.setRetryAfter(RateLimitWire.duration(nothing.retry()));
      }
    } else {
      response.setOutcome(LeaseBudgetResponse.Outcome.OUTCOME_NOT_LEASABLE);
    }
    return response.build();
  }

  CompletionStage<ReturnBudgetResponse> returnUnused(String domain, ReturnBudgetRequest request) {
    UnusedBudget unused =
        new UnusedBudget(
            FieldChecks.name("lease_id", request.getLeaseId(), RateLimitWire.MAX_ID),
            FieldChecks.between("unused", request.getUnused(), 0, Limit.MAX_COST));
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    return limits.returnBudget(domain, unused, once).thenApply(BudgetLeaseCalls::response);
  }

  private static ReturnBudgetResponse response(Settlement settlement) {
    return ReturnBudgetResponse.newBuilder()
        .setOutcome(
            settlement.found()
                ? ReturnBudgetResponse.Outcome.OUTCOME_RETURNED
                : ReturnBudgetResponse.Outcome.OUTCOME_NOT_FOUND)
        .setRefunded(settlement.refunded())
        .build();
  }
}
