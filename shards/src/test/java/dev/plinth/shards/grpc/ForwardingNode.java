package dev.plinth.shards.grpc;

import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.shards.MemoryCluster;
import dev.plinth.shards.Route;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.TextApp;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.TestSettings;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A node with a real port, on a store in memory. */
final class ForwardingNode implements AutoCloseable {
  static final int SHARDS = 8;

  final TextApp texts = new TextApp();
  final BeatService beats = new BeatService();
  final MemoryCluster.Member store;
  final Shards shards;
  final CallForwarder callForwarder;
  final Metrics metrics = new Metrics();
  final GrpcHost host;
  final ManagedChannel channel;

  ForwardingNode(MemoryCluster cluster, String name, String... flags) {
    store = cluster.open(name);
    List<String> all = new ArrayList<>(List.of("--count=" + SHARDS, "--threads=1"));
    all.addAll(List.of(flags));
    ShardsSettings settings = TestSettings.read(ShardsSettings.class, all.toArray(String[]::new));
    shards = Shards.open(store, List.of(texts), settings, metrics.registry());
    callForwarder = new CallForwarder(shards, name);
    host =
        GrpcHost.builder(InProcessHost.hostSettings("--drain.grace=5s"), metrics)
            .router(callForwarder)
            .add(beats)
            .start();
    shards.announce(address());
    channel = ManagedChannelBuilder.forTarget(address()).usePlaintext().build();
  }

  String address() {
    return "127.0.0.1:" + host.port();
  }

  /** A namespace whose shard this node serves. */
  String namespaceHere() {
    return IntStream.range(0, 1000)
        .mapToObj(i -> "ns" + i)
        .filter(ns -> shards.routes().of(shards.shardOf(ns)).location() == Route.Location.LOCAL)
        .findFirst()
        .orElseThrow();
  }

  double forwarded(String result) {
    return metrics
        .registry()
        .get("plinth.shards.forwarded")
        .tag("result", result)
        .counter()
        .count();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    host.close();
    callForwarder.close();
    shards.close();
    store.close();
    metrics.close();
  }
}
