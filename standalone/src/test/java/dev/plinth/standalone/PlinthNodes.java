package dev.plinth.standalone;

import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.admin.v1.ListShardsRequest;
import dev.plinth.admin.v1.ListShardsResponse;
import dev.plinth.admin.v1.NodeStatus;
import dev.plinth.admin.v1.ShardStatus;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.RoundRobinChannel;
import dev.plinth.testkit.engine.Ports;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** Whole processes on one etcd, each at a port that it keeps over restarts. */
final class PlinthNodes implements AutoCloseable {
  static final int TTL_SECONDS = 5;
  static final int SHARDS = 16;

  private final List<String> flags;
  private final Path directory;
  private final String etcd;
  private final String prefix = "/nodes/" + UUID.randomUUID() + "/";
  private final int[] ports;
  private final JavaProcess[] processes;
  private final ManagedChannel[] channels;

  PlinthNodes(Path directory, String etcd, int most) {
    this(
        directory,
        etcd,
        most,
        "--drain.pause=500ms",
        "--etcd.session-ttl=" + TTL_SECONDS + "s",
        "--etcd.authority-margin=1s",
        "--etcd.request-timeout=2s");
  }

  PlinthNodes(Path directory, String etcd, int most, String... flags) {
    this.flags = List.of(flags);
    this.directory = directory;
    this.etcd = etcd;
    this.ports = Ports.free(most);
    this.processes = new JavaProcess[most];
    this.channels = new ManagedChannel[most];
    for (int i = 0; i < most; i++) {
      channels[i] = ManagedChannelBuilder.forAddress("127.0.0.1", ports[i]).usePlaintext().build();
    }
  }

  /** One after the other: together on two busy cores, one may not get its session in time. */
  void startAll() {
    IntStream.range(0, ports.length).forEach(this::start);
  }

  JavaProcess start(int node) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--node=node" + node,
                "--port=" + ports[node],
                "--admin-port=0",
                "--coordination=etcd://" + etcd,
                "--etcd.prefix=" + prefix));
    all.addAll(flags);
    processes[node] = JavaProcess.start(directory, PlinthMain.class, all.toArray(String[]::new));
    processes[node].awaitLine("is ready");
    channels[node].resetConnectBackoff();
    return processes[node];
  }

  JavaProcess process(int node) {
    return processes[node];
  }

  int port(int node) {
    return ports[node];
  }

  /** To all of them, as a gRPC client that knows their addresses. */
  RoundRobinChannel all() {
    return RoundRobinChannel.of(ports);
  }

  /** A call that says it was passed on already is answered by the owner only. */
  boolean owns(int node, String namespace) {
    Metadata headers = new Metadata();
    headers.put(CallForwarder.FORWARDED_BY, "test");
    Channel marked =
        ClientInterceptors.intercept(
            channels[node], MetadataUtils.newAttachHeadersInterceptor(headers));
    try {
      LeaseServiceGrpc.newBlockingStub(marked)
          .validate(
              ValidateRequest.newBuilder().setNamespace(namespace).setKey("x").setToken(1).build());
      return true;
    } catch (StatusRuntimeException e) {
      return false;
    }
  }

  int count() {
    return ports.length;
  }

  LeaseServiceBlockingStub leases(int node) {
    return leases(channels[node]);
  }

  static LeaseServiceBlockingStub leases(Channel channel) {
    return LeaseServiceGrpc.newBlockingStub(channel).withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  ManagedChannel channel(int node) {
    return channels[node];
  }

  ListShardsResponse list(int node) {
    return AdminServiceGrpc.newBlockingStub(channels[node])
        .withDeadlineAfter(10, TimeUnit.SECONDS)
        .listShards(ListShardsRequest.getDefaultInstance());
  }

  /** Numbers of the shards that a node itself says it serves. */
  List<Integer> served(int node) {
    return list(node).getShardsList().stream()
        .filter(ShardStatus::getServedHere)
        .map(ShardStatus::getShard)
        .toList();
  }

  /** The nodes as they came, once there are so many and all that answer agree. */
  List<Integer> inOrder(int count) {
    AtomicReference<List<Integer>> order = new AtomicReference<>();
    Await.until(count + " nodes", () -> agreed(order).size() == count);
    return order.get();
  }

  private List<Integer> agreed(AtomicReference<List<Integer>> order) {
    Set<List<Integer>> seen = new HashSet<>();
    for (int node = 0; node < processes.length; node++) {
      if (processes[node].isAlive()) {
        seen.add(
            list(node).getNodesList().stream()
                .map(status -> Integer.parseInt(status.getName().substring("node".length())))
                .toList());
      }
    }
    order.set(seen.size() == 1 ? seen.iterator().next() : List.of());
    return order.get();
  }

  /** All of the given nodes agree on how many shards each has, in the order they came. */
  void awaitSpread(List<Integer> nodes, Integer... counts) {
    Await.until(
        "nodes " + nodes + " have " + List.of(counts),
        () -> nodes.stream().allMatch(node -> isSpread(node, nodes, List.of(counts))));
  }

  private boolean isSpread(int asked, List<Integer> nodes, List<Integer> counts) {
    ListShardsResponse list = list(asked);
    List<String> names = nodes.stream().map(node -> "node" + node).toList();
    return list.getNodesList().stream().map(NodeStatus::getName).toList().equals(names)
        && list.getNodesList().stream().map(NodeStatus::getShards).toList().equals(counts)
        && served(asked).size() == counts.get(nodes.indexOf(asked));
  }

  /** What all printed, for a test that failed. */
  String output() {
    return String.join(
        "\n---\n",
        IntStream.range(0, processes.length)
            .filter(i -> processes[i] != null)
            .mapToObj(i -> "node" + i + ":\n" + processes[i].output())
            .toList());
  }

  @Override
  public void close() {
    for (int i = 0; i < ports.length; i++) {
      channels[i].shutdownNow();
      if (processes[i] != null) {
        processes[i].close();
      }
    }
  }
}
