package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.util.Durations;
import dev.plinth.admin.v1.ShardStatus;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.RoundRobinChannel;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whole processes on an etcd of three members, while they come, go, die and hang under load. */
class NodesTest {
  private static final long AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  @RegisterExtension static final SharedEngine ETCD = Engines.etcdCluster();

  @TempDir Path directory;
  private PlinthNodes nodes;

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void listShards_showsAnEvenSpread_afterJoinsAndLeaves() {
    open(3);
    nodes.start(0);
    nodes.awaitSpread(List.of(0), 16);
    nodes.start(1);
    nodes.awaitSpread(List.of(0, 1), 8, 8);
    nodes.start(2);
    nodes.awaitSpread(List.of(0, 1, 2), 6, 5, 5);
    ShardStatus any = nodes.list(2).getShards(0);
    int owner = Integer.parseInt(any.getNode().substring("node".length()));
    assertEquals("127.0.0.1:" + nodes.port(owner), any.getAddress());
    assertTrue(any.getEpoch() > 0);
    nodes.process(0).signal("TERM");
    assertEquals(0, nodes.process(0).exitCode());
    nodes.awaitSpread(List.of(1, 2), 8, 8);
    nodes.start(0);
    nodes.awaitSpread(List.of(1, 2, 0), 6, 5, 5);
  }

  @Test
  void killedNode_losesNoGrant_andItsShardsAreServedWithinTheTtlAndTwoSeconds() throws Exception {
    open(3);
    nodes.startAll();
    nodes.awaitSpread(nodes.inOrder(3), 6, 5, 5);
    try (LeaseCycles cycles =
        new LeaseCycles(
            IntStream.range(0, 4).<LeaseCycles.Caller>mapToObj(Stubborn::new).toList())) {
      cycles.awaitMore(200);
      nodes.process(0).kill();
      long killed = System.nanoTime();
      // One call for each namespace, so for each shard, as an outsider would find out.
      for (int n = 0; n < 48; n++) {
        String namespace = LeaseCycles.namespace(n);
        Await.until(namespace + " is served", () -> isServed(1, namespace));
      }
      Duration took = Duration.ofNanos(System.nanoTime() - killed);
      Duration most = Duration.ofSeconds(PlinthNodes.TTL_SECONDS + 2);
      assertTrue(took.compareTo(most) <= 0, "served again after " + took);
      cycles.awaitMore(200);
      cycles.check(nodes.leases(2));
    }
    nodes.awaitSpread(nodes.inOrder(2), 8, 8);
  }

  @Test
  void rollingRestart_underLoad_failsNoCall() throws Exception {
    open(3);
    nodes.startAll();
    List<Integer> order = new ArrayList<>(nodes.inOrder(3));
    nodes.awaitSpread(order, 6, 5, 5);
    int[] restarting = {0};
    List<LeaseCycles.Caller> callers = new ArrayList<>();
    try (RoundRobinChannel all = nodes.all()) {
      // As any gRPC client that knows all addresses, without a retry of its own.
      callers.add(new Once(() -> PlinthNodes.leases(all.channel())));
      callers.add(new Once(() -> PlinthNodes.leases(all.channel())));
      // Bound to a node that stays.
      callers.add(new Once(() -> nodes.leases((restarting[0] + 1) % 3)));
      callers.add(new Once(() -> nodes.leases((restarting[0] + 2) % 3)));
      try (LeaseCycles cycles = new LeaseCycles(callers)) {
        for (int node = 0; node < 3; node++) {
          cycles.awaitMore(100);
          restarting[0] = node;
          cycles.awaitMore(20); // whoever was under way at this node has been answered
          nodes.process(node).signal("TERM");
          assertEquals(0, nodes.process(node).exitCode(), nodes.process(node).output());
          nodes.start(node);
          order.remove((Integer) node);
          order.add(node);
          nodes.awaitSpread(order, 6, 5, 5);
        }
        cycles.awaitMore(100);
        cycles.check(nodes.leases(0));
      }
    }
  }

  @Test
  void ownerThatHangsPastItsSession_decidesNothing_andPassesItsCallsOn() throws Exception {
    open(2);
    nodes.startAll();
    nodes.awaitSpread(nodes.inOrder(2), 8, 8);
    long before =
        nodes.list(0).getShardsList().stream().mapToLong(ShardStatus::getEpoch).max().getAsLong();
    List<String> namespaces = namespacesOf(0);
    assertFalse(namespaces.isEmpty());
    nodes.process(0).signal("STOP");
    // These lie in its sockets, and are the first that it reads when it wakes.
    List<ListenableFuture<AcquireResponse>> asked = new ArrayList<>();
    for (String namespace : namespaces) {
      asked.add(
          LeaseServiceGrpc.newFutureStub(nodes.channel(0)).acquire(acquire(namespace, "ann")));
    }
    for (String namespace : namespaces) {
      Await.until(
          "the other node grants it",
          () ->
              nodes.leases(1).acquire(acquire(namespace, "bob")).getOutcome()
                  == Outcome.OUTCOME_GRANTED);
    }
    List<Long> epochs = nodes.list(1).getShardsList().stream().map(ShardStatus::getEpoch).toList();
    nodes.process(0).signal("CONT");
    for (ListenableFuture<AcquireResponse> call : asked) {
      assertNotEquals("GRANTED", outcome(call), "bob has it");
    }
    for (String namespace : namespaces) {
      Await.until(
          "the call is passed on",
          () ->
              nodes.leases(0).acquire(acquire(namespace, "ann")).getOutcome()
                  == Outcome.OUTCOME_HELD);
    }
    assertTrue(epochs.stream().anyMatch(epoch -> epoch > before));
    nodes.awaitSpread(List.of(1, 0), 8, 8);
    for (String namespace : namespaces) {
      assertEquals(
          Outcome.OUTCOME_HELD,
          nodes.leases(1).acquire(acquire(namespace, "ann")).getOutcome(),
          "nothing that the hung node decided was kept");
    }
  }

  private void open(int most) {
    nodes = new PlinthNodes(directory, ETCD.hostPorts(), most);
  }

  /** Namespaces in shards of a node: a call that says it was passed on is refused elsewhere. */
  private List<String> namespacesOf(int node) {
    return IntStream.range(0, 48)
        .mapToObj(LeaseCycles::namespace)
        .filter(namespace -> nodes.owns(node, namespace))
        .toList();
  }

  private static AcquireRequest acquire(String namespace, String owner) {
    return AcquireRequest.newBuilder()
        .setNamespace(namespace)
        .setKey("k")
        .setOwnerId(owner)
        .setTtl(Durations.fromMinutes(10))
        .setRequestId(owner)
        .build();
  }

  private static String outcome(ListenableFuture<AcquireResponse> call) throws Exception {
    try {
      return call.get(20, TimeUnit.SECONDS).getOutcome().name();
    } catch (ExecutionException e) {
      return e.getCause().toString();
    }
  }

  private boolean isServed(int node, String namespace) {
    try {
      nodes
          .leases(node)
          .validate(
              ValidateRequest.newBuilder().setNamespace(namespace).setKey("x").setToken(1).build());
      return true;
    } catch (StatusRuntimeException e) {
      return false;
    }
  }

  /** Asks once. */
  private record Once(Supplier<LeaseServiceBlockingStub> leases) implements LeaseCycles.Caller {
    @Override
    public <R> R call(Function<LeaseServiceBlockingStub, R> call) {
      return call.apply(leases.get());
    }
  }

  /** Goes from node to node with the same request until it is answered. */
  private final class Stubborn implements LeaseCycles.Caller {
    private int node;

    Stubborn(int node) {
      this.node = node;
    }

    @Override
    public <R> R call(Function<LeaseServiceBlockingStub, R> call) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (true) {
        try {
          return call.apply(nodes.leases(node % nodes.count()));
        } catch (StatusRuntimeException e) {
          Status.Code code = e.getStatus().getCode();
          boolean again =
              code == Status.Code.UNAVAILABLE
                  || code == Status.Code.CANCELLED
                  || code == Status.Code.UNKNOWN // the connection broke in a write
                  || code == Status.Code.DEADLINE_EXCEEDED;
          if (!again || System.nanoTime() - end > 0) {
            throw e;
          }
          node++;
          LockSupport.parkNanos(AFTER_FAILURE_NANOS);
        }
      }
    }
  }
}
