package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.MemoryCluster;
import dev.plinth.testkit.Await;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** S30: more calls to one owner than a connection takes, through another node. */
class ForwardingLoadTest {
  private static final int WAITS = 3000;
  private static final int CHANNELS = 5; // each takes a thousand calls
  private static final long HELD = 1;
  private static final long ANSWERED = 2;

  private final MemoryCluster cluster = new MemoryCluster(ForwardingNode.SHARDS);
  private final List<ManagedChannel> channels = new ArrayList<>();
  private ForwardingNode a;
  private ForwardingNode b;
  private String there;

  @BeforeEach
  void start() {
    a = new ForwardingNode(cluster, "a");
    b = new ForwardingNode(cluster, "b");
    Await.until(
        "an even spread", () -> a.shards.served().size() == 4 && b.shards.served().size() == 4);
    there = b.namespaceHere();
    Await.until(
        "a knows",
        () -> a.shards.routes().of(a.shards.shardOf(there)).address().equals(b.address()));
    b.beats.handler =
        (request, to) -> {
          if (request.getSeq() != HELD) {
            to.onNext(BeatService.answer(request));
            to.onCompleted();
          }
        };
    for (int i = 0; i < CHANNELS; i++) {
      channels.add(ManagedChannelBuilder.forTarget(a.address()).usePlaintext().build());
    }
  }

  @AfterEach
  void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    a.close();
    b.close();
  }

  @Test
  void S30_manyForwardedWaits_allReachTheOwner_andDelayNoShortCall() {
    List<ClientCall<?, ?>> waits = hold(BeatService.MANY, WAITS);
    assertEquals(ANSWERED, answer().getSeq());
    waits.forEach(wait -> wait.cancel("the test leaves", null));
    shrinkTo(2);
    assertEquals(ANSWERED, answer().getSeq());
  }

  @Test
  void S30_shortCallsThatAreNotAnswered_delayNoOther() {
    hold(BeatService.ONE, WAITS / 2);
    assertEquals(ANSWERED, answer().getSeq());
  }

  @Test
  void connections_growByTheNumberOfOpenCalls() {
    List<ClientCall<?, ?>> waits = hold(BeatService.MANY, WAITS);
    int most = a.callForwarder.peers().open();
    assertTrue(most >= WAITS / 1000 && most <= WAITS / 500 + 1, most + " connections");
    waits.subList(0, WAITS - 10).forEach(wait -> wait.cancel("the test leaves", null));
    Await.until(
        "those without calls are closed",
        () -> {
          a.callForwarder.peers().retain(Set.of(b.address()), 0);
          return a.callForwarder.peers().open() < most;
        });
  }

  @Test
  void callThatAsksToWait_isLong_asAStreamIs() {
    CallKind acquire = kind(LeaseServiceGrpc.getAcquireMethod());
    AcquireRequest request = AcquireRequest.getDefaultInstance();
    AcquireRequest waiting = request.toBuilder().setWait(Duration.getDefaultInstance()).build();
    assertEquals(PeerChannels.Kind.SHORT, acquire.of(request));
    assertEquals(PeerChannels.Kind.LONG, acquire.of(waiting));
    assertEquals(PeerChannels.Kind.SHORT, kind(LeaseServiceGrpc.getHeartbeatMethod()).of(request));
    assertEquals(PeerChannels.Kind.LONG, kind(LeaseServiceGrpc.getWatchMethod()).of(request));
  }

  private void shrinkTo(int connections) {
    Await.until(
        connections + " connections are left",
        () -> {
          a.callForwarder.peers().retain(Set.of(b.address()), 0);
          return a.callForwarder.peers().open() <= connections;
        });
  }

  /** Begins calls that the owner does not answer, and waits until it has all of them. */
  private List<ClientCall<?, ?>> hold(
      MethodDescriptor<KeepSessionRequest, KeepSessionResponse> method, int count) {
    List<ClientCall<?, ?>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ClientCall<KeepSessionRequest, KeepSessionResponse> call =
          channels.get(i % (CHANNELS - 1)).newCall(method, CallOptions.DEFAULT);
      call.start(new ClientCall.Listener<>() {}, new Metadata());
      call.sendMessage(request(HELD));
      call.halfClose();
      call.request(1);
      calls.add(call);
    }
    Await.until("all are at the owner", () -> b.beats.seen.size() == count);
    return calls;
  }

  private KeepSessionResponse answer() {
    return ClientCalls.blockingUnaryCall(
        channels.get(CHANNELS - 1),
        BeatService.ONE,
        CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
        request(ANSWERED));
  }

  private KeepSessionRequest request(long seq) {
    return KeepSessionRequest.newBuilder().setNamespace(there).setSeq(seq).build();
  }

  private static CallKind kind(MethodDescriptor<?, ?> method) {
    return CallKind.of(method, CallDeclaration.of(method));
  }
}
