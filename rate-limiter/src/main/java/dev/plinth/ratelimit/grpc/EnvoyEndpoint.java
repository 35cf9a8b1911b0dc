package dev.plinth.ratelimit.grpc;

import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import dev.plinth.ratelimit.pipeline.CallDecisions;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.grpc.ShardBindings;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitService}, over the same policies and budgets. What has
 * no limit is allowed, as Envoy's users know it: a domain without a policy, which is counted, and a
 * descriptor without a rule.
 */
final class EnvoyEndpoint extends RateLimitServiceGrpc.RateLimitServiceImplBase {
  private static final int MAX_DESCRIPTORS = 100;

  private final PolicyDecider decider;
  private final RateLimits limits;
  private final EnvoyAnswers answers;
  private final EnvoyOverrides overrides;

  EnvoyEndpoint(
      PolicyDecider decider, RateLimits limits, EnvoyAnswers answers, EnvoyOverrides overrides) {
    this.decider = decider;
    this.limits = limits;
    this.answers = answers;
    this.overrides = overrides;
  }

  @Override
  public void shouldRateLimit(RateLimitRequest request, StreamObserver<RateLimitResponse> to) {
    if (request.getDomain().isEmpty()) {
      throw Failure.Invalid.field("domain", "none", "the domain of a policy");
    }
    FieldChecks.between("descriptors", request.getDescriptorsCount(), 1, MAX_DESCRIPTORS);
    List<EnvoyWire.EnvoyCheck> checks = EnvoyWire.checks(request);
    ShardBindings.answer(
        decide(request.getDomain(), checks)
            .thenApply(decisions -> answers.of(request, checks, decisions)),
        to);
  }

  private CompletionStage<List<Decision>> decide(String domain, List<EnvoyWire.EnvoyCheck> checks) {
    CallDecisions decided = new CallDecisions();
    try {
      return decider
          .decide(
              FieldChecks.domain("domain", domain), 0, policy -> decide(policy, checks, decided))
          .exceptionallyCompose(
              thrown ->
                  PolicyDecider.cause(thrown) instanceof Failure.Missing
                      ? unlimited(domain, checks)
                      : CompletableFuture.failedStage(thrown));
    } catch (Failure.Missing | Failure.Invalid e) {
      return unlimited(domain, checks); // also a name that no policy can have
    }
  }

  private CompletionStage<List<Decision>> unlimited(
      String domain, List<EnvoyWire.EnvoyCheck> checks) {
    answers.events().unknownDomain(domain);
    return CompletableFuture.completedStage(
        checks.stream().map(EnvoyWire.EnvoyCheck::unlimited).toList());
  }

  /** Those of rules together, since they replace one another; each other one for itself. */
  private CompletionStage<List<Decision>> decide(
      CompiledPolicy policy, List<EnvoyWire.EnvoyCheck> checks, CallDecisions decided) {
    CompletableFuture<List<Decision>> ofRules =
        limits
            .checkDescriptors(
                policy,
                checks.stream()
                    .filter(EnvoyWire.EnvoyCheck::isOfRules)
                    .map(EnvoyWire.EnvoyCheck::check)
                    .toList(),
                decided)
            .toCompletableFuture();
    List<CompletableFuture<List<Decision>>> all = new ArrayList<>(List.of(ofRules));
    for (EnvoyWire.EnvoyCheck one : checks) {
      if (one.override().isPresent()) {
        CompiledPolicy own = overrides.policy(policy, one, one.override().get());
        all.add(limits.checkDescriptors(own, List.of(one.check()), decided).toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(done -> inOrder(checks, all));
  }

  private static List<Decision> inOrder(
      List<EnvoyWire.EnvoyCheck> checks, List<CompletableFuture<List<Decision>>> all) {
    Iterator<Decision> ofRules = all.get(0).getNow(null).iterator();
    Iterator<CompletableFuture<List<Decision>>> own = all.subList(1, all.size()).iterator();
    List<Decision> decisions = new ArrayList<>();
    for (EnvoyWire.EnvoyCheck one : checks) {
      if (one.isOfRules()) {
        decisions.add(ofRules.next());
      } else if (one.override().isPresent()) {
        decisions.add(own.next().getNow(null).get(0));
      } else {
        decisions.add(one.unlimited());
      }
    }
    return decisions;
  }
}
