package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.LeaseBudgetResult;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.UnusedBudget;
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
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;

/** Budget that is charged in advance. */
final class LeaseCalls {
  private static final Logger log = System.getLogger("plinth.ratelimit");

  private final Deciding deciding;

  LeaseCalls(Deciding deciding) {
    this.deciding = deciding;
  }

  void lease(LeaseBudgetRequest request, StreamObserver<LeaseBudgetResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    String holder =
        FieldChecks.optionalName("holder", request.getHolder(), RateLimitWire.MOST_HOLDER);
    LeaseBudgetResult.LeaseBudgetSpec wish =
        new LeaseBudgetResult.LeaseBudgetSpec(
            RateLimitWire.descriptors("descriptors", request.getDescriptorsList()),
            RateLimitWire.between("want", request.getWant(), 1, Limit.MAX_COST),
            earlier(request),
            RateLimitWire.once("request_id", request.getRequestId(), request));
    Deciding.answer(
        deciding.decide(domain, 0, policy -> deciding.limits().lease(policy, wish)),
        lease -> {
          log.log(Level.DEBUG, "{0} has {1} in {2}", holder, lease, domain);
          return response(lease);
        },
        to);
  }

  private static Optional<UnusedBudget> earlier(LeaseBudgetRequest request) {
    String id =
        FieldChecks.optionalName(
            "return_lease_id", request.getReturnLeaseId(), RateLimitWire.MOST_ID);
    long unused =
        RateLimitWire.between("return_unused", request.getReturnUnused(), 0, Limit.MAX_COST);
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

  void giveBack(ReturnBudgetRequest request, StreamObserver<ReturnBudgetResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    UnusedBudget rest =
        new UnusedBudget(
            FieldChecks.name("lease_id", request.getLeaseId(), RateLimitWire.MOST_ID),
            RateLimitWire.between("unused", request.getUnused(), 0, Limit.MAX_COST));
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    Deciding.answer(deciding.limits().returnBudget(domain, rest, once), LeaseCalls::response, to);
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
