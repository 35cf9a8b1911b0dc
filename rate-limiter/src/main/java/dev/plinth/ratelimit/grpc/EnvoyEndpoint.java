package dev.plinth.ratelimit.grpc;

import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import dev.plinth.ratelimit.core.CompiledPolicy;
import dev.plinth.ratelimit.core.Decision;
import dev.plinth.ratelimit.core.DescriptorCache;
import dev.plinth.server.call.Fields;
import dev.plinth.server.failure.Failure;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitService}, over the same policies and budgets. What has
 * no limit is allowed, as Envoy's users know it: a domain without a policy, a descriptor without a
 * rule.
 */
final class EnvoyEndpoint extends RateLimitServiceGrpc.RateLimitServiceImplBase {
  private static final int MOST_DESCRIPTORS = 100;

  private final Deciding deciding;
  private final EnvoyOverrides overrides;

  EnvoyEndpoint(Deciding deciding, DescriptorCache cache) {
    this.deciding = deciding;
    this.overrides = new EnvoyOverrides(cache);
  }

  @Override
  public void shouldRateLimit(RateLimitRequest request, StreamObserver<RateLimitResponse> to) {
    if (request.getDomain().isEmpty()) {
      throw Failure.Invalid.field("domain", "none", "the domain of a policy");
    }
    Fields.between("descriptors", request.getDescriptorsCount(), 1, MOST_DESCRIPTORS);
    List<EnvoyWire.Asked> asked = EnvoyWire.asked(request);
    Deciding.answer(decide(request, asked), decisions -> EnvoyWire.response(asked, decisions), to);
  }

  private CompletionStage<List<Decision>> decide(
      RateLimitRequest request, List<EnvoyWire.Asked> asked) {
    try {
      return deciding
          .decide(RateLimitWire.domain(request.getDomain()), 0, policy -> decide(policy, asked))
          .exceptionallyCompose(thrown -> unlimited(thrown, asked));
    } catch (Failure.Missing | Failure.Invalid e) {
      return CompletableFuture.completedStage(EnvoyWire.unlimited(asked)); // a name that none has
    }
  }

  private static CompletionStage<List<Decision>> unlimited(
      Throwable thrown, List<EnvoyWire.Asked> asked) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    return cause instanceof Failure.Missing
        ? CompletableFuture.completedStage(EnvoyWire.unlimited(asked))
        : CompletableFuture.failedStage(thrown);
  }

  /** Each for itself, all at once. */
  private CompletionStage<List<Decision>> decide(
      CompiledPolicy policy, List<EnvoyWire.Asked> asked) {
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    for (EnvoyWire.Asked one : asked) {
      CompiledPolicy by =
          one.override().map(limit -> overrides.policy(policy, one, limit)).orElse(policy.exact());
      decisions.add(deciding.limits().check(by, one.check()).toCompletableFuture());
    }
    return CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new))
        .thenApply(done -> decisions.stream().map(CompletableFuture::join).toList());
  }
}
