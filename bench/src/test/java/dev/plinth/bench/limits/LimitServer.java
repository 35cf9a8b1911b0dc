package dev.plinth.bench.limits;

import dev.plinth.machine.Threads;
import dev.plinth.ratelimit.RateLimitService;
import dev.plinth.ratelimit.RateLimitSettings;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.redis.RedisBudgetStore;
import dev.plinth.ratelimit.store.redis.RedisSettings;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.TestSettings;
import io.grpc.BindableService;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executors;

/**
 * Rate limits with policies on shards of their own and budgets in Redis. They wait for Redis as
 * long as it takes: everybody else does, and a decision without it is none to be measured.
 */
final class LimitServer implements HostedService {
  private static final int SHARDS = 4;

  private final BudgetStore budgets;
  private final ShardStore store;
  private final Shards shards;
  private final CallForwarder callForwarder;
  private final RateLimitService service;

  LimitServer(Path directory, String redis, MeterRegistry meters) {
    budgets = budgets(redis);
    store = EmbeddedShardStore.open(directory.resolve("policies"), SHARDS);
    PolicyApp app = RateLimitService.app(InstantSource.system());
    shards = Shards.open(store, List.of(app), TestSettings.read(ShardsSettings.class), meters);
    callForwarder = new CallForwarder(shards, "bench");
    RateLimitSettings settings = TestSettings.read(RateLimitSettings.class, "--store-budget=10s");
    service = RateLimitService.on(shards, app, budgets, settings, callForwarder, meters);
  }

  /** Connected. */
  static BudgetStore budgets(String redis) {
    RedisSettings settings = TestSettings.read(RedisSettings.class);
    BudgetStore budgets =
        RedisBudgetStore.open(
            redis,
            Duration.ofSeconds(10),
            settings,
            Executors.newFixedThreadPool(2, Threads.daemons("budgets")));
    Await.until("a connection to " + redis, () -> budgets.unavailableReason().isEmpty());
    return budgets;
  }

  @Override
  public List<BindableService> endpoints() {
    return service.endpoints();
  }

  @Override
  public List<Engine> engines() {
    return service.engines();
  }

  @Override
  public void close() {
    service.close();
    callForwarder.close();
    shards.close();
    store.close();
    budgets.close();
  }
}
