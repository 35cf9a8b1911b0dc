package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.core.BudgetLease;
import dev.plinth.ratelimit.core.BudgetLease.Rest;
import dev.plinth.ratelimit.core.Charge;
import dev.plinth.ratelimit.core.Outcome;
import dev.plinth.ratelimit.core.Request.Once;
import dev.plinth.ratelimit.core.Reservation.Settlement;
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
    BudgetLease.Wish wish =
        new BudgetLease.Wish(
            RateLimitWire.descriptors("descriptors", request.getDescriptorsList()),
            RateLimitWire.between("want", request.getWant(), 1, Charge.MOST),
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

  private static Optional<Rest> earlier(LeaseBudgetRequest request) {
    String id =
        FieldChecks.optionalName(
            "return_lease_id", request.getReturnLeaseId(), RateLimitWire.MOST_ID);
    long unused = RateLimitWire.between("return_unused", request.getReturnUnused(), 0, Charge.MOST);
    if (id.isEmpty() && unused > 0) {
      throw Failure.Invalid.field("return_unused", unused, "0 without return_lease_id");
    }
    return id.isEmpty() ? Optional.empty() : Optional.of(new Rest(id, unused));
  }

  private static LeaseBudgetResponse response(BudgetLease lease) {
    LeaseBudgetResponse.Builder response =
        LeaseBudgetResponse.newBuilder().setPolicyVersion(lease.policyVersion());
    if (lease instanceof BudgetLease.Leased leased) {
      response.setOutcome(LeaseBudgetResponse.Outcome.OUTCOME_LEASED);
      response
          .getLeaseBuilder()
          .setLeaseId(leased.id())
          .setGranted(leased.granted())
          .setValidFor(RateLimitWire.duration(leased.validFor()))
          .setPolicyVersion(leased.policyVersion());
    } else if (lease instanceof BudgetLease.Nothing nothing) {
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
    Rest rest =
        new Rest(
            FieldChecks.name("lease_id", request.getLeaseId(), RateLimitWire.MOST_ID),
            RateLimitWire.between("unused", request.getUnused(), 0, Charge.MOST));
    Optional<Once> once = RateLimitWire.once("request_id", request.getRequestId(), request);
    Deciding.answer(deciding.limits().giveBack(domain, rest, once), LeaseCalls::response, to);
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
