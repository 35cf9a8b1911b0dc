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
final class Bank {
  private static final long MOST = 1_000_000_000;

  private final Subject subject;
  private final Wiring wiring;

  Bank(Subject subject, Wiring wiring) {
    this.subject = subject;
    this.wiring = wiring;
  }

  /**
   * One attempt: a lease is over before a second one would be answered.
   *
   * @param back goes back in the same step
   */
  CompletableFuture<LeaseBudgetResponse> lease(long want, Optional<Spent> back) {
    LeaseBudgetRequest.Builder request =
        LeaseBudgetRequest.newBuilder()
            .setDomain(subject.domain())
            .addAllDescriptors(subject.descriptors())
            .setWant(Math.min(MOST, want))
            .setHolder(wiring.holder());
    back.ifPresent(
        spent -> request.setReturnLeaseId(spent.grant().id()).setReturnUnused(spent.unused()));
    return wiring
        .asks()
        .send(
            RateLimitServiceGrpc.getLeaseBudgetMethod(),
            request.build(),
            wiring.options().deadline());
  }

  /** Sent again as long as it may count; given back twice it counts once. */
  CompletableFuture<ReturnBudgetResponse> giveBack(Spent spent) {
    wiring.events().unused(spent.unused());
    ReturnBudgetRequest request =
        ReturnBudgetRequest.newBuilder()
            .setDomain(subject.domain())
            .setLeaseId(spent.grant().id())
            .setUnused(spent.unused())
            .build();
    return wiring
        .asks()
        .insist(
            RateLimitServiceGrpc.getReturnBudgetMethod(),
            request,
            Duration.ofNanos(spent.grant().validFor()));
  }
}
