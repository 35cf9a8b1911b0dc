package dev.plinth.ratelimit.grpc;

import dev.plinth.options.v1.CallKind;
import dev.plinth.options.v1.CallOptions;
import dev.plinth.options.v1.Role;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckResponse;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.server.Threads;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Route;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.CallForwarder;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** The limiter's calls on one node, and the policies that they share. */
public final class RateLimitNode implements AutoCloseable {
  private static final CallOptions ENVOY =
      CallOptions.newBuilder()
          .setKind(CallKind.CALL_KIND_MUTATION)
          .setRole(Role.ROLE_USER)
          .setDomain("domain")
          .setAnyNodeIfShared(true)
          .build();
  private static final int SILENT_PROGRESSES = 3;

  private final Shards shards;
  private final boolean shared;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(Threads.daemons("plinth-policies"));
  private final Loopback loopback = new Loopback(thread);
  private final PolicyCache policies;
  private final RateLimitEndpoint endpoint;
  private final EnvoyEndpoint envoy;

  /**
   * @param domains whose policies are kept ready, at the most
   * @param idle after which a domain's is dropped
   * @param patience with which a call waits for a policy
   * @param streamed checks under way on one stream, at the most
   */
  public record Bounds(int domains, Duration idle, Duration patience, int streamed) {}

  /**
   * @param cache what is remembered of descriptors, for all policies
   * @param shared whether all nodes have the same budgets; otherwise one node decides for a domain
   */
  public RateLimitNode(
      Shards shards,
      PolicyApp app,
      RateLimits limits,
      DescriptorCache cache,
      boolean shared,
      Bounds bounds,
      EnvoyAnswers envoy,
      CallForwarder callForwarder) {
    this.shards = shards;
    this.shared = shared;
    this.policies =
        new PolicyCache(
            new PolicyCache.Bounds(
                bounds.domains,
                bounds.idle,
                bounds.patience,
                shards.settings().progressInterval().multipliedBy(SILENT_PROGRESSES)),
            loopback.channel(),
            policy -> CompiledPolicy.of(policy, cache),
            thread);
    Deciding deciding = new Deciding(policies, limits);
    StreamedChecks streams =
        new StreamedChecks(
            new CheckCalls(deciding), bounds.streamed, this::isDecidedHere, this::elsewhere);
    endpoint = new RateLimitEndpoint(deciding, streams, new PolicyCalls(shards, app));
    this.envoy = new EnvoyEndpoint(deciding, envoy, cache);
    ServerServiceDefinition routed = callForwarder.route(endpoint.bindService(), this::ofOwner);
    loopback.serve(() -> routed);
  }

  public List<BindableService> endpoints() {
    return List.of(endpoint, envoy);
  }

  /**
   * What a method declares, if its calls are for the owner of their domain alone: those about
   * policies are, and where each node has budgets of its own, all.
   */
  public Optional<CallDeclaration> ofOwner(MethodDescriptor<?, ?> method) {
    boolean envoys = !method.getServiceName().equals(RateLimitServiceGrpc.SERVICE_NAME);
    CallDeclaration declaration =
        envoys ? CallDeclaration.of(method, ENVOY) : CallDeclaration.of(method);
    return shared && declaration.isAnyNodeIfShared() ? Optional.empty() : Optional.of(declaration);
  }

  private boolean isDecidedHere(String domain) {
    if (shared) {
      return true;
    }
    try {
      int shard = shards.shardOf(RateLimitWire.domain(domain));
      return shards.routes().of(shard).location() == Route.Location.LOCAL;
    } catch (Failure.Invalid e) {
      return true; // to be refused by name
    }
  }

  private CompletionStage<Decision> elsewhere(CheckRequest request) {
    CompletableFuture<Decision> decision = new CompletableFuture<>();
    RateLimitServiceGrpc.newStub(loopback.channel())
        .withExecutor(Runnable::run)
        .check(
            request,
            new StreamObserver<>() {
              @Override
              public void onNext(CheckResponse response) {
                decision.complete(response.getDecision());
              }

              @Override
              public void onError(Throwable thrown) {
                decision.completeExceptionally(thrown);
              }

              @Override
              public void onCompleted() {}
            });
    return decision;
  }

  /** Domains whose policies are kept ready. */
  public int domains() {
    return policies.size();
  }

  /** How long the watch of a policy that is broken longest has been so. */
  public Duration staleness() {
    return policies.staleness();
  }

  @Override
  public void close() {
    // Streams end on the thread, which must be there until they have.
    thread.execute(policies::close);
    thread.execute(loopback::close);
    loopback.awaitEnd();
    thread.shutdown();
  }
}
