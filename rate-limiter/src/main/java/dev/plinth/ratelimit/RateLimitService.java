package dev.plinth.ratelimit;

import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.grpc.RateLimitNode;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.ratelimit.pipeline.NodeContext;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.CallForwarder;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Rate limits: policies on shards that it shares with others, budgets in a store.
 *
 * <p>It names no engine that it cannot do without. While the store of budgets is unavailable, fail
 * modes decide; while the shards' is, the last policies that were seen do.
 */
public final class RateLimitService implements HostedService {
  private final ScheduledExecutorService scheduler;
  private final Engine budgets;
  private final RateLimits limits;
  private final RateLimitNode node;

  private RateLimitService(
      ScheduledExecutorService scheduler, Engine budgets, RateLimits limits, RateLimitNode node) {
    this.scheduler = scheduler;
    this.budgets = budgets;
    this.limits = limits;
    this.node = node;
  }

  /** What it keeps in the shards; they are opened with it. */
  public static PolicyApp app(InstantSource clock) {
    return new PolicyApp(clock);
  }

  /**
   * On the machine of the shards.
   *
   * @param callForwarder takes what a node asks of others to them
   * @param store is closed by whoever opened it, after this
   */
  public static RateLimitService on(
      Shards shards,
      PolicyApp app,
      BudgetStore store,
      RateLimitSettings settings,
      CallForwarder callForwarder,
      MeterRegistry registry) {
    Machine machine = shards.machine();
    ScheduledExecutorService scheduler = machine.scheduler("plinth-limits");
    DescriptorCache cache = settings.cache();
    RateLimitMetrics metrics = new RateLimitMetrics(registry);
    RateLimits limits =
        new RateLimits(
            store,
            settings.flush().options(),
            new NodeContext(
                machine, scheduler, () -> nodes(shards), settings.localRowBytes(), metrics));
    RateLimitNode node =
        new RateLimitNode(
            shards,
            app,
            limits,
            cache,
            store.isShared(),
            settings.node(),
            settings.envoy().answers(new EnvoyMetrics(registry, machine.nanos())),
            callForwarder);
    metrics.watch(registry, node);
    RateLimitMetrics.watch(registry, store);
    metrics.watch(registry, cache);
    RateLimitMetrics.memory(registry, "policies", node::policyBytes, settings.policyBytes());
    RateLimitMetrics.memory(registry, "local", limits::localRowBytes, settings.localRowBytes());
    return new RateLimitService(scheduler, store, limits, node);
  }

  private static int nodes(Shards shards) {
    return Math.max(1, shards.routes().seen().clusterSnapshot().nodes().size());
  }

  @Override
  public List<BindableService> endpoints() {
    return node.endpoints();
  }

  @Override
  public List<Engine> engines() {
    return List.of(budgets);
  }

  @Override
  public Optional<CallDeclaration> routing(MethodDescriptor<?, ?> method) {
    return node.routing(method);
  }

  @Override
  public void close() {
    node.close();
    limits.close();
    scheduler.shutdown();
  }
}
