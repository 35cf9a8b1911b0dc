package dev.plinth.ratelimit.grpc;

import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.shards.grpc.LoopbackChannel;
import dev.plinth.shards.replica.Replica;
import dev.plinth.shards.replica.ReplicaMemory;
import dev.plinth.shards.replica.ReplicaOptions;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/** The limiter's calls on one node, and the policies that they share. */
public final class RateLimitNode implements AutoCloseable {
  private final ScheduledExecutorService thread;
  private final LoopbackChannel loopback;
  private final Replica<CompiledPolicy> policies;
  private final EnvoyOverrides overrides;
  private final DecisionRoutes routes;
  private final List<BindableService> endpoints;

  /**
   * @param domains whose policies are watched, at the most
   * @param idle after which a domain's is dropped
   * @param maxWait for a policy
   * @param policyBytes of all policies that are kept, with the limits that callers of Envoy bring
   * @param streamedChecks in flight on one stream, at the most
   */
  public record Options(
      int domains, Duration idle, Duration maxWait, long policyBytes, int streamedChecks) {

    long overrideBytes() {
      return policyBytes / 8;
    }
  }

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
      Options options,
      EnvoyAnswers envoy,
      CallForwarder callForwarder) {
    Machine machine = shards.machine();
    thread = machine.scheduler("plinth-policies");
    loopback = new LoopbackChannel(thread, machine);
    routes = new DecisionRoutes(shards, shared);
    policies =
        new Replica<>(
            new ReplicaOptions(
                options.domains,
                options.idle,
                options.maxWait,
                shards.settings().progressInterval()),
            new ReplicaMemory<>(
                options.policyBytes - options.overrideBytes(), CompiledPolicy::bytes),
            PolicyWatch.source(loopback.channel(), policy -> CompiledPolicy.of(policy, cache)),
            CompiledPolicy::version,
            machine,
            thread);
    overrides = new EnvoyOverrides(cache, options.overrideBytes());
    PolicyDecider decider = new PolicyDecider(policies);
    CheckStreams streams =
        new CheckStreams(
            new CheckCalls(decider, limits),
            options.streamedChecks,
            routes,
            loopback.channel(),
            machine.random());
    BindableService service = RateLimitBindings.of(shards, app, decider, limits, streams);
    endpoints = List.of(service, new EnvoyEndpoint(decider, limits, envoy, overrides));
    ServerServiceDefinition routed = callForwarder.route(service.bindService(), routes::routing);
    loopback.serve(() -> routed);
  }

  public List<BindableService> endpoints() {
    return endpoints;
  }

  /** What decides on the node that answers a method's calls; empty if any node does. */
  public Optional<CallDeclaration> routing(MethodDescriptor<?, ?> method) {
    return routes.routing(method);
  }

  /** Domains whose policies are watched. */
  public int domains() {
    return policies.size();
  }

  /** What policies take in memory, by estimate. */
  public long policyBytes() {
    return policies.bytes() + overrides.bytes();
  }

  /** How long the watch of a policy that is broken longest has been so. */
  public Duration staleness() {
    return policies.staleness();
  }

  @Override
  public void close() {
    policies.close();
    // Streams end on the thread, which must be there until they have.
    thread.execute(loopback::close);
    loopback.awaitEnd();
    thread.shutdown();
  }
}
