package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.policy.Policies;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardBindings;
import dev.plinth.shards.grpc.ShardPages;
import io.grpc.BindableService;

/**
 * The methods of {@code plinth.ratelimit.v1.RateLimitService}, each with what answers it: policies
 * from shards, all else from budgets.
 */
final class RateLimitBindings {
  private RateLimitBindings() {}

  static BindableService of(
      Shards shards,
      PolicyApp app,
      PolicyDecider decider,
      RateLimits limits,
      CheckStreams streams) {
    CheckCalls checks = streams.checks();
    ReserveCalls reservations = new ReserveCalls(decider, limits);
    BudgetLeaseCalls leases = new BudgetLeaseCalls(decider, limits);
    SlotCalls slots = new SlotCalls(decider, limits);
    LimitOperatorCalls operators = new LimitOperatorCalls(decider, limits);
    return new ShardBindings<Policies>(RateLimitServiceGrpc.getServiceDescriptor(), shards, app)
            .async(RateLimitServiceGrpc.getCheckMethod(), checks::check)
            .async(RateLimitServiceGrpc.getCheckManyMethod(), checks::checkMany)
            .stream(RateLimitServiceGrpc.getCheckStreamMethod(), (calls, to) -> streams.open(to))
            .async(RateLimitServiceGrpc.getReserveMethod(), reservations::reserve)
            .async(RateLimitServiceGrpc.getSettleMethod(), reservations::settle)
            .async(RateLimitServiceGrpc.getLeaseBudgetMethod(), leases::lease)
            .async(RateLimitServiceGrpc.getReturnBudgetMethod(), leases::returnUnused)
            .async(RateLimitServiceGrpc.getAcquireSlotMethod(), slots::acquire)
            .async(RateLimitServiceGrpc.getRenewSlotMethod(), slots::renew)
            .async(RateLimitServiceGrpc.getReleaseSlotMethod(), slots::release)
            .async(RateLimitServiceGrpc.getInspectMethod(), operators::inspect)
            .async(RateLimitServiceGrpc.getResetKeyMethod(), operators::reset)
            .command(RateLimitServiceGrpc.getPutPolicyMethod(), PolicyCalls::put)
            .command(RateLimitServiceGrpc.getGetPolicyMethod(), PolicyCalls::get)
            .command(RateLimitServiceGrpc.getDeletePolicyMethod(), PolicyCalls::delete)
            .pages(
                RateLimitServiceGrpc.getListPoliciesMethod(),
                (policies, after, limit, tx) -> policies.list(after, limit),
                new ShardPages.Names<>(Policy::domain, FieldChecks::domain),
                PolicyWire::policy)
            .watch(
                RateLimitServiceGrpc.getWatchPoliciesMethod(),
                (domain, request) -> new PolicyWatch(domain))
            .build();
  }
}
