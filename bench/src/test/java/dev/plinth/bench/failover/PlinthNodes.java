package dev.plinth.bench.failover;

import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.admin.v1.ListShardsRequest;
import dev.plinth.admin.v1.ShardStatus;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.standalone.PlinthMain;
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
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Whole processes with default settings on one etcd, each at a port that it keeps. */
final class PlinthNodes implements AutoCloseable {
  static final int COUNT = 3;
  private static final int SHARDS = 16;
  private static final List<String> OPTIONS = List.of("-Xmx512m");

  private final Path directory;
  private final String etcd;
  private final int[] ports = Ports.free(COUNT);
  private final JavaProcess[] processes = new JavaProcess[COUNT];
  private final ManagedChannel[] channels = new ManagedChannel[COUNT];
  private final RoundRobinChannel all = RoundRobinChannel.of(ports);

  PlinthNodes(Path directory, String etcd) {
    this.directory = directory;
    this.etcd = etcd;
    for (int i = 0; i < COUNT; i++) {
      channels[i] = ManagedChannelBuilder.forAddress("127.0.0.1", ports[i]).usePlaintext().build();
    }
  }

  void start(int node) {
    processes[node] =
        JavaProcess.start(
            directory,
            OPTIONS,
            PlinthMain.class,
            "--node=node" + node,
            "--port=" + ports[node],
            "--admin-port=0",
            "--data-dir=data" + node,
            "--coordination=etcd://" + etcd);
    processes[node].awaitLine("is ready");
    channels[node].resetConnectBackoff();
    all.channel().resetConnectBackoff();
  }

  JavaProcess process(int node) {
    return processes[node];
  }

  /** To all of them, as a client that knows their addresses. */
  Channel all() {
    return all.channel();
  }

  /** Waits until every node serves its part of the shards. */
  void awaitSpread() {
    Await.until("an even spread of shards over the nodes", this::isSpread);
  }

  private boolean isSpread() {
    int all = 0;
    for (int node = 0; node < COUNT; node++) {
      int served = served(node);
      if (served < SHARDS / COUNT) {
        return false;
      }
      all += served;
    }
    return all == SHARDS;
  }

  private int served(int node) {
    try {
      return (int)
          AdminServiceGrpc.newBlockingStub(channels[node])
              .withDeadlineAfter(5, TimeUnit.SECONDS)
              .listShards(ListShardsRequest.getDefaultInstance())
              .getShardsList()
              .stream()
              .filter(ShardStatus::getServedHere)
              .count();
    } catch (StatusRuntimeException e) {
      return 0;
    }
  }

  /** A call that says it was passed on already is answered by the owner only. */
  boolean owns(int node, String namespace) {
    Metadata headers = new Metadata();
    headers.put(CallForwarder.FORWARDED_BY, "bench");
    Channel marked =
        ClientInterceptors.intercept(
            channels[node], MetadataUtils.newAttachHeadersInterceptor(headers));
    try {
      LeaseServiceGrpc.newBlockingStub(marked)
          .withDeadlineAfter(5, TimeUnit.SECONDS)
          .validate(
              ValidateRequest.newBuilder().setNamespace(namespace).setKey("x").setToken(1).build());
      return true;
    } catch (StatusRuntimeException e) {
      return false;
    }
  }

  @Override
  public void close() {
    all.close();
    for (int i = 0; i < COUNT; i++) {
      channels[i].shutdownNow();
      if (processes[i] != null) {
        processes[i].close();
      }
    }
  }
}
