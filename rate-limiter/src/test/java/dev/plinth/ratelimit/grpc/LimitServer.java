package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.RateLimitService;
import dev.plinth.ratelimit.RateLimitSettings;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.ratelimit.store.embedded.EmbeddedBudgetStore;
import dev.plinth.ratelimit.store.redis.RedisBudgetStore;
import dev.plinth.ratelimit.store.redis.RedisSettings;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.shards.fixture.Wiring;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.testkit.TestSettings;
import io.grpc.BindableService;
import io.grpc.Channel;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;

/** The rate limiter behind the real host, on a store of budgets. */
final class LimitServer implements AutoCloseable {
  // A machine that does much else at once is slow to answer; what fails must really have failed.
  static final String PATIENT = "--store-budget=5s";

  private final String name;
  private final ShardServer server;
  private MeterRegistry meters;

  LimitServer(String name, Supplier<BudgetStore> budgets, String... flags) {
    this.name = name;
    RateLimitSettings settings = TestSettings.read(RateLimitSettings.class, flags);
    Wiring<PolicyApp> wiring =
        new Wiring<>(
            (machine, registry) -> {
              meters = registry;
              return RateLimitService.app(machine.time());
            },
            (shards, app, store) -> new Service(shards, app, budgets.get(), settings, meters));
    this.server = ShardServer.embedded(wiring, "--progress-interval=100ms");
  }

  static LimitServer embedded() {
    return embedded(PATIENT);
  }

  /** Flags are those of the limiter. */
  static LimitServer embedded(String... flags) {
    try {
      Path folder = Files.createTempDirectory("budgets");
      return new LimitServer(
          "embedded",
          () -> EmbeddedBudgetStore.open(folder, Duration.ofSeconds(1), new RowMemory(1L << 30)),
          flags);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static LimitServer onRedis(String hostPort) {
    return onRedis(hostPort, PATIENT);
  }

  /** Flags are those of the limiter. */
  static LimitServer onRedis(String hostPort, String... flags) {
    return new LimitServer("redis", () -> redis(hostPort), flags);
  }

  static BudgetStore redis(String hostPort) {
    return RedisBudgetStore.open(
        "redis://" + hostPort,
        Duration.ofSeconds(5),
        new RedisSettings(2),
        ForkJoinPool.commonPool());
  }

  Channel channel() {
    return server.channel();
  }

  MeterRegistry meters() {
    return meters;
  }

  void restart() {
    server.restart();
  }

  double counted(String verdict, String decidedBy) {
    return meters
        .get("plinth.ratelimit.decisions")
        .tag("verdict", verdict)
        .tag("decided_by", decidedBy)
        .counter()
        .count();
  }

  @Override
  public void close() {
    server.close();
  }

  @Override
  public String toString() {
    return name;
  }

  /** The service with all that a process opens for it. */
  static final class Service implements HostedService {
    private final BudgetStore budgets;
    private final CallForwarder callForwarder;
    private final RateLimitService service;

    Service(
        Shards shards,
        PolicyApp app,
        BudgetStore budgets,
        RateLimitSettings settings,
        MeterRegistry meters) {
      this.budgets = budgets;
      this.callForwarder = new CallForwarder(shards, "node-1");
      this.service = RateLimitService.on(shards, app, budgets, settings, callForwarder, meters);
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
      budgets.close();
    }
  }
}
