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
final class BudgetLeaseCaller {
  private static final long MAX = 1_000_000_000;

  private final LimiterKey limiterKey;
  private final LimiterContext limiterContext;

  BudgetLeaseCaller(LimiterKey limiterKey, LimiterContext limiterContext) {
    this.limiterKey = limiterKey;
    this.limiterContext = limiterContext;
  }

  /**
   * One attempt: a lease is over before a second one would be answered.
   *
   * @param back goes back in the same step
   */
  CompletableFuture<LeaseBudgetResponse> lease(long want, Optional<EndedGrant> back) {
    LeaseBudgetRequest.Builder request =
        LeaseBudgetRequest.newBuilder()
            .setDomain(limiterKey.domain())
            .addAllDescriptors(limiterKey.descriptors())
            .setWant(Math.min(MAX, want))
            .setHolder(limiterContext.holder());
    back.ifPresent(
        endedGrant ->
            request
                .setReturnLeaseId(endedGrant.budgetGrant().id())
                .setReturnUnused(endedGrant.unused()));
    return limiterContext
        .rateLimitCaller()
        .send(
            RateLimitServiceGrpc.getLeaseBudgetMethod(),
            request.build(),
            limiterContext.options().deadline());
  }

  /** Sent again as long as it may count; given back twice it counts once. */
  CompletableFuture<ReturnBudgetResponse> returnBudget(EndedGrant endedGrant) {
    limiterContext.events().unused(endedGrant.unused());
    ReturnBudgetRequest request =
        ReturnBudgetRequest.newBuilder()
            .setDomain(limiterKey.domain())
            .setLeaseId(endedGrant.budgetGrant().id())
            .setUnused(endedGrant.unused())
            .build();
    return limiterContext
        .rateLimitCaller()
        .sendWithRetry(
            RateLimitServiceGrpc.getReturnBudgetMethod(),
            request,
            Duration.ofNanos(endedGrant.budgetGrant().validFor()));
  }
}
