package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.shards.MemoryCluster;
import dev.plinth.shards.Route;
import dev.plinth.testkit.Await;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls for shards that nobody owns for a long time, at a node on which few may wait. */
class UnownedShardTest {
  private static final int ROOM = 4;
  private static final AcquireRequest WAIT = AcquireRequest.newBuilder().setNamespace("ns").build();
  private static final HeartbeatRequest BEAT =
      HeartbeatRequest.newBuilder().setNamespace("ns").build();

  private final ForwardingNode node =
      new ForwardingNode(
          new MemoryCluster(ForwardingNode.SHARDS), "alone", "--queue=" + ROOM, "--move-wait=1m");
  private final Queue<Status> ended = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void loseAllShards() {
    node.store.kill();
    int shard = node.shards.shardOf("ns");
    Await.until(
        "nobody serves it",
        () -> node.shards.routes().of(shard).location() != Route.Location.LOCAL);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  @Test
  void callWhoseCallerIsGone_givesUpItsPlace() {
    List<ClientCall<?, ?>> calls = new ArrayList<>();
    for (int i = 0; i < ROOM + 1; i++) {
      calls.add(call(BeatService.WAIT, WAIT));
    }
    assertOneRefused(); // any of them: they may overtake each other
    calls.forEach(call -> call.cancel("gone", null));
    Await.until("they wait no more", () -> waited() == ROOM && ended.size() == ROOM);
    ended.clear();
    for (int i = 0; i < ROOM; i++) {
      call(BeatService.WAIT, WAIT);
    }
    call(BeatService.WAIT, WAIT);
    assertOneRefused();
    assertEquals(0, ended.size(), "there was room for the others");
  }

  /** Calls whose wait has ended. */
  private long waited() {
    return node.metrics.registry().get("plinth.shards.move.wait").timer().count();
  }

  @Test
  void urgentCalls_findRoom_whenOthersDoNot() {
    for (int i = 0; i < ROOM; i++) {
      call(BeatService.WAIT, WAIT);
    }
    call(BeatService.WAIT, WAIT);
    assertOneRefused();
    for (int i = 0; i < 3 * ROOM; i++) {
      call(BeatService.URGENT, BEAT);
    }
    call(BeatService.URGENT, BEAT);
    assertOneRefused();
    assertEquals(0, ended.size());
  }

  private void assertOneRefused() {
    Await.until("it is refused", () -> !ended.isEmpty());
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, ended.remove().getCode());
  }

  private <Q, A> ClientCall<Q, A> call(MethodDescriptor<Q, A> method, Q request) {
    ClientCall<Q, A> call = node.channel.newCall(method, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.add(status);
          }
        },
        new Metadata());
    call.sendMessage(request);
    call.halfClose();
    call.request(1);
    return call;
  }
}
