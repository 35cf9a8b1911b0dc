package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.RateLimitService;
import dev.plinth.ratelimit.RateLimitSettings;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.Route;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** One of several nodes, with a real port; the others reach it through a proxy that can fail. */
final class LimitNode implements AutoCloseable {
  static final int SHARDS = 4;

  final FaultProxy toPeers;
  final Shards shards;
  private final Metrics metrics = new Metrics();
  private final ShardStore store;
  private final CallForwarder callForwarder;
  private final BudgetStore budgets;
  private final GrpcHost host;
  private final ManagedChannel channel;

  LimitNode(String etcd, EtcdSettings settings, String name, BudgetStore budgets) {
    this.budgets = budgets;
    store =
        EtcdShardStore.open(
            new EtcdCluster(List.of(etcd), settings), name, SHARDS, metrics.registry());
    PolicyApp app = RateLimitService.app(InstantSource.system());
    shards =
        Shards.open(
            store,
            List.of(app),
            TestSettings.read(
                ShardsSettings.class, "--count=" + SHARDS, "--progress-interval=100ms"),
            metrics.registry());
    callForwarder = new CallForwarder(shards, name);
    RateLimitSettings limits =
        TestSettings.read(RateLimitSettings.class, LimitServer.PATIENT, "--policy-wait=1s");
    host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics)
            .router(callForwarder)
            .add(
                RateLimitService.on(
                    shards, app, budgets, limits, callForwarder, metrics.registry()))
            .start();
    toPeers = FaultProxy.to("127.0.0.1", host.port());
    shards.announce(toPeers.address());
    channel = ManagedChannelBuilder.forAddress("127.0.0.1", host.port()).usePlaintext().build();
  }

  /** For calls in a domain that this node owns. */
  LimitCalls callsHere() {
    return Stream.generate(() -> new LimitCalls(() -> channel))
        .filter(calls -> owns(calls.domain))
        .findFirst()
        .orElseThrow();
  }

  /** The same domain, asked about at this node. */
  LimitCalls callsIn(String domain) {
    return new LimitCalls(domain, () -> channel);
  }

  boolean owns(String domain) {
    return shards.routes().of(shards.shardOf(domain)).location() == Route.Location.LOCAL;
  }

  double forwarded() {
    return metrics.registry().find("plinth.shards.forwarded").counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  static EtcdSettings settings() {
    return TestSettings.read(
        EtcdSettings.class,
        "--prefix=/test/" + UUID.randomUUID() + "/",
        "--session-ttl=4s",
        "--authority-margin=1s",
        "--compaction-interval=0s");
  }

  @Override
  public void close() {
    channel.shutdownNow();
    toPeers.close();
    host.close();
    callForwarder.close();
    budgets.close();
    shards.close();
    store.close();
    metrics.close();
  }
}
