package dev.plinth.ratelimit.grpc;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.StalePolicyException;
import dev.plinth.ratelimit.policy.Policies;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.replica.Replica;
import dev.plinth.shards.replica.ReplicaBehindException;
import dev.plinth.shards.replica.ReplicaCopy;
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
final class PolicyDecider {
  private static final Duration RETRY = Duration.ofMillis(50);

  private final Replica<CompiledPolicy> policies;

  PolicyDecider(Replica<CompiledPolicy> policies) {
    this.policies = policies;
  }

  /**
   * @param minVersion of the policy; 0 for any
   * @param decision applied again if it was stale: must not charge again what it has charged
   * @throws Failure.Missing if it is known that the domain has no policy
   */
  <R> CompletionStage<R> decide(
      String domain, long minVersion, Function<CompiledPolicy, CompletionStage<R>> decision) {
    ReplicaCopy<CompiledPolicy> known = policies.get(domain);
    CompletionStage<R> first =
        known.isAtLeast(minVersion)
            ? decision.apply(policy(domain, known))
            : await(domain, minVersion).thenCompose(decision);
    CompletableFuture<R> now = first.toCompletableFuture();
    if (now.isDone() && !now.isCompletedExceptionally()) {
      return first; // as most are that memory decides
    }
    return first.exceptionallyCompose(
        thrown ->
            cause(thrown) instanceof StalePolicyException stale
                ? await(domain, stale.version())
                    .thenCompose(decision)
                    .exceptionallyCompose(again -> failed(domain, again))
                : first);
  }

  private static CompiledPolicy policy(String domain, ReplicaCopy<CompiledPolicy> known) {
    return known.value().orElseThrow(() -> Policies.unknown(domain));
  }

  private CompletionStage<CompiledPolicy> await(String domain, long minVersion) {
    return policies
        .await(domain, minVersion)
        .thenApply(copy -> policy(domain, copy))
        .exceptionallyCompose(
            thrown ->
                CompletableFuture.failedStage(
                    cause(thrown) instanceof ReplicaBehindException behind
                        ? behind(domain, minVersion, behind)
                        : thrown));
  }

  private static Failure behind(String domain, long minVersion, ReplicaBehindException behind) {
    ReplicaCopy<?> copy = behind.copy();
    if (copy.known() && copy.value().isEmpty()) {
      return Policies.unknown(domain);
    }
    String known = copy.known() ? String.valueOf(copy.version()) : "none";
    return new Failure.Unavailable(
        ErrorReason.ERROR_REASON_POLICY_BEHIND,
        "this node knows version %s of the policy of %s (needed: %d): %s"
            .formatted(known, domain, minVersion, behind.getMessage()),
        RETRY,
        Map.of("domain", domain, "known", known, "needed", String.valueOf(minVersion)));
  }

  /** It changed once more in between: whoever retries finds this node further. */
  private static <R> CompletionStage<R> failed(String domain, Throwable thrown) {
    return CompletableFuture.failedStage(
        cause(thrown) instanceof StalePolicyException stale
            ? new Failure.Unavailable(
                ErrorReason.ERROR_REASON_POLICY_BEHIND,
                "the policy of %s changes faster than this node sees (needed: %d)"
                    .formatted(domain, stale.version()),
                RETRY,
                Map.of("domain", domain, "needed", String.valueOf(stale.version())))
            : thrown);
  }

  /** What a stage failed with, out of the wrapping of stages before it. */
  static Throwable cause(Throwable thrown) {
    return thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
  }
}
