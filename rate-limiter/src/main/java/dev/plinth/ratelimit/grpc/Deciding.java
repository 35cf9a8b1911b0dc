package dev.plinth.ratelimit.grpc;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.pipeline.StalePolicyException;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.server.failure.Failure;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Decides with the policy that this node knows. Where a budget has seen a later one, waits for that
 * and decides once more.
 */
final class Deciding {
  private final PolicyCache policies;
  private final RateLimits limits;

  Deciding(PolicyCache policies, RateLimits limits) {
    this.policies = policies;
    this.limits = limits;
  }

  RateLimits limits() {
    return limits;
  }

  /**
   * @param minVersion of the policy; 0 for any
   */
  <R> CompletionStage<R> decide(
      String domain, long minVersion, Function<CompiledPolicy, CompletionStage<R>> decision) {
    CompiledPolicy known = policies.known(domain, minVersion);
    CompletionStage<R> first =
        known != null
            ? decision.apply(known)
            : policies.await(domain, minVersion).thenCompose(decision);
    CompletableFuture<R> now = first.toCompletableFuture();
    if (now.isDone() && !now.isCompletedExceptionally()) {
      return first; // as most are that memory decides
    }
    return first.exceptionallyCompose(
        thrown ->
            stale(thrown) == null
                ? first
                : policies
                    .await(domain, stale(thrown).version())
                    .thenCompose(decision)
                    .exceptionallyCompose(again -> failed(domain, again)));
  }

  private static StalePolicyException stale(Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    return cause instanceof StalePolicyException stale ? stale : null;
  }

  /** It changed once more in between: whoever asks again finds this node further. */
  private static <R> CompletionStage<R> failed(String domain, Throwable thrown) {
    StalePolicyException stale = stale(thrown);
    return CompletableFuture.failedStage(
        stale == null
            ? thrown
            : new Failure.Unavailable(
                ErrorReason.ERROR_REASON_POLICY_BEHIND,
                "the policy of %s changes faster than this node sees (needed: %d)"
                    .formatted(domain, stale.version()),
                Duration.ofMillis(50),
                Map.of("domain", domain, "needed", String.valueOf(stale.version()))));
  }

  static <R, A> void answer(
      CompletionStage<R> decision, Function<R, A> wire, StreamObserver<A> to) {
    decision
        .thenApply(wire)
        .whenComplete(
            (answer, thrown) -> {
              if (thrown == null) {
                to.onNext(answer);
                to.onCompleted();
              } else {
                to.onError(StatusMappingInterceptor.answering(thrown));
              }
            });
  }
}
