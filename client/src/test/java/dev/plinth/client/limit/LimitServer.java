package dev.plinth.client.limit;

import com.google.protobuf.util.Durations;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.RateLimitService;
import dev.plinth.ratelimit.RateLimitSettings;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.ratelimit.store.embedded.EmbeddedBudgetStore;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Descriptor;
import dev.plinth.ratelimit.v1.InspectRequest;
import dev.plinth.ratelimit.v1.LeaseRule;
import dev.plinth.ratelimit.v1.Match;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** The real rate limiter on a port and embedded stores. */
final class LimitServer implements AutoCloseable {
  private final Metrics metrics = new Metrics();
  private final ShardStore store;
  private final BudgetStore budgets;
  private final Shards shards;
  private final CallForwarder callForwarder;
  private final GrpcHost host;
  private final ManagedChannel channel;

  LimitServer(Path directory) {
    store = EmbeddedShardStore.open(directory.resolve("shards"), 1);
    budgets =
        EmbeddedBudgetStore.open(
            directory.resolve("budgets"), Duration.ofSeconds(1), new RowMemory(1L << 30));
    PolicyApp app = RateLimitService.app(InstantSource.system());
    ShardsSettings settings = TestSettings.read(ShardsSettings.class, "--count=1");
    shards = Shards.open(store, List.of(app), settings, metrics.registry());
    callForwarder = new CallForwarder(shards, "node-1");
    host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics)
            .router(callForwarder)
            .add(
                RateLimitService.on(
                    shards,
                    app,
                    budgets,
                    TestSettings.read(RateLimitSettings.class, "--store-budget=5s"),
                    callForwarder,
                    metrics.registry()))
            .start();
    channel = Grpc.newChannelBuilder(target(), InsecureChannelCredentials.create()).build();
  }

  int port() {
    return host.port();
  }

  String target() {
    return "localhost:" + port();
  }

  RateLimitServiceBlockingStub limits() {
    return RateLimitServiceGrpc.newBlockingStub(channel);
  }

  /** The policy of the domain api. */
  void put(Rule.Builder... rules) {
    PutPolicyRequest.Builder policy = PutPolicyRequest.newBuilder().setDomain("api");
    for (Rule.Builder rule : rules) {
      policy.addRules(rule);
    }
    limits().putPolicy(policy.build());
  }

  /** For each tenant. */
  static Rule.Builder bucket(long burst, long limit, Duration period) {
    return Rule.newBuilder()
        .setName("per-tenant")
        .addMatch(Match.newBuilder().setKey("tenant"))
        .setAlgorithm(Algorithm.ALGORITHM_TOKEN_BUCKET)
        .setBurst(burst)
        .setLimit(limit)
        .setPeriod(ClientWire.duration(period));
  }

  /** Half of it may be out in leases of 200 ms, to one or two. */
  static LeaseRule.Builder lending() {
    return LeaseRule.newBuilder()
        .setMaxFractionPermille(500)
        .setHoldersHint(2)
        .setTtl(Durations.fromMillis(200))
        .setServerAbovePerSecond(-1);
  }

  /** For each route, at the same time. */
  static Rule.Builder concurrency(long limit) {
    return Rule.newBuilder()
        .setName("at-once")
        .addMatch(Match.newBuilder().setKey("route"))
        .setAlgorithm(Algorithm.ALGORITHM_CONCURRENCY)
        .setLimit(limit);
  }

  long remaining(String tenant) {
    InspectRequest request =
        InspectRequest.newBuilder()
            .setDomain("api")
            .addDescriptors(Descriptor.newBuilder().setKey("tenant").setValue(tenant))
            .build();
    return limits().inspect(request).getKeys(0).getStatus().getRemaining();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    host.close();
    callForwarder.close();
    budgets.close();
    shards.close();
    store.close();
    metrics.close();
  }
}
