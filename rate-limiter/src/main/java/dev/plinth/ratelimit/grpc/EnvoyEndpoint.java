package dev.plinth.ratelimit.grpc;

import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitService}, over the same policies and budgets. What has
 * no limit is allowed, as Envoy's users know it: a domain without a policy, which is counted, and a
 * descriptor without a rule.
 */
final class EnvoyEndpoint extends RateLimitServiceGrpc.RateLimitServiceImplBase {
  private static final int MOST_DESCRIPTORS = 100;

  private final Deciding deciding;
  private final EnvoyAnswers answers;
  private final EnvoyOverrides overrides;

  EnvoyEndpoint(Deciding deciding, EnvoyAnswers answers, DescriptorCache cache) {
    this.deciding = deciding;
    this.answers = answers;
    this.overrides = new EnvoyOverrides(cache);
  }

  @Override
  public void shouldRateLimit(RateLimitRequest request, StreamObserver<RateLimitResponse> to) {
    if (request.getDomain().isEmpty()) {
      throw Failure.Invalid.field("domain", "none", "the domain of a policy");
    }
    FieldChecks.between("descriptors", request.getDescriptorsCount(), 1, MOST_DESCRIPTORS);
    List<EnvoyWire.Asked> asked = EnvoyWire.asked(request);
    Deciding.answer(
        decide(request.getDomain(), asked), decisions -> answers.of(request, asked, decisions), to);
  }

  private CompletionStage<List<Decision>> decide(String domain, List<EnvoyWire.Asked> asked) {
    try {
      return deciding
          .decide(RateLimitWire.domain(domain), 0, policy -> decide(policy, asked))
          .exceptionallyCompose(
              thrown ->
                  isMissing(thrown)
                      ? unlimited(domain, asked)
                      : CompletableFuture.failedStage(thrown));
    } catch (Failure.Missing | Failure.Invalid e) {
      return unlimited(domain, asked); // also a name that no policy can have
    }
  }

  private static boolean isMissing(Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    return cause instanceof Failure.Missing;
  }

  private CompletionStage<List<Decision>> unlimited(String domain, List<EnvoyWire.Asked> asked) {
    answers.events().unknownDomain(domain);
    return CompletableFuture.completedStage(
        asked.stream().map(EnvoyWire.Asked::unlimited).toList());
  }

  /** Those of rules together, since they replace one another; each other one for itself. */
  private CompletionStage<List<Decision>> decide(
      CompiledPolicy policy, List<EnvoyWire.Asked> asked) {
    CompletableFuture<List<Decision>> ofRules =
        deciding
            .limits()
            .checkDescriptors(
                policy,
                asked.stream()
                    .filter(EnvoyWire.Asked::isOfRules)
                    .map(EnvoyWire.Asked::check)
                    .toList())
            .toCompletableFuture();
    List<CompletableFuture<List<Decision>>> all = new ArrayList<>(List.of(ofRules));
    for (EnvoyWire.Asked one : asked) {
      if (one.override().isPresent()) {
        CompiledPolicy own = overrides.policy(policy, one, one.override().get());
        all.add(
            deciding.limits().checkDescriptors(own, List.of(one.check())).toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(done -> inOrder(asked, all));
  }

  private static List<Decision> inOrder(
      List<EnvoyWire.Asked> asked, List<CompletableFuture<List<Decision>>> all) {
    Iterator<Decision> ofRules = all.get(0).join().iterator();
    Iterator<CompletableFuture<List<Decision>>> own = all.subList(1, all.size()).iterator();
    List<Decision> decisions = new ArrayList<>();
    for (EnvoyWire.Asked one : asked) {
      if (one.isOfRules()) {
        decisions.add(ofRules.next());
      } else if (one.override().isPresent()) {
        decisions.add(own.next().join().get(0));
      } else {
        decisions.add(one.unlimited());
      }
    }
    return decisions;
  }
}
