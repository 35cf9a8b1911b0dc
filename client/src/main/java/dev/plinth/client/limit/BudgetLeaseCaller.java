package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.ReturnBudgetRequest;
import dev.plinth.ratelimit.v1.ReturnBudgetResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Where one subject's budget comes from and goes back to. */
record BudgetLeaseCaller(LimiterKey key, LimiterContext context) {
  private static final long MAX = 1_000_000_000;

  /**
   * One attempt: a lease is over before a second one would be answered.
   *
   * @param back goes back in the same step
   */
  CompletableFuture<LeaseBudgetResponse> lease(long want, Optional<EndedGrant> back) {
    LeaseBudgetRequest.Builder request =
        LeaseBudgetRequest.newBuilder()
            .setDomain(key.domain())
            .addAllDescriptors(key.descriptors())
            .setWant(Math.min(MAX, want))
            .setHolder(context.runtime().owner());
    back.ifPresent(
        ended -> request.setReturnLeaseId(ended.grant().id()).setReturnUnused(ended.unused()));
    return context.caller().send(RateLimitServiceGrpc.getLeaseBudgetMethod(), request.build());
  }

  /** Retried as long as it may count; given back twice it counts once. */
  CompletableFuture<ReturnBudgetResponse> returnBudget(EndedGrant ended) {
    context.events().unused(ended.unused());
    ReturnBudgetRequest request =
        ReturnBudgetRequest.newBuilder()
            .setDomain(key.domain())
            .setLeaseId(ended.grant().id())
            .setUnused(ended.unused())
            .build();
    return context
        .caller()
        .sendWithRetry(
            RateLimitServiceGrpc.getReturnBudgetMethod(),
            request,
            Duration.ofNanos(ended.grant().validFor()));
  }
}
