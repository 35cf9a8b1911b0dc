package dev.plinth.shards.grpc;

import static dev.plinth.shards.grpc.ForwardingPair.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.testkit.Await;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams and deadlines of calls that are passed on from one node to another. */
class ForwardedStreamTest {
  private static final int MAX_SENT = 1000; // of 64 KiB each

  private final ForwardingPair nodes = new ForwardingPair();
  private final ForwardingNode a = nodes.a;
  private final ForwardingNode b = nodes.b;
  private final String there = nodes.there;

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void serverStream_isPassedOn_messageByMessage() {
    b.beats.handler =
        (request, to) -> {
          for (int i = 0; i < 5; i++) {
            to.onNext(KeepSessionResponse.newBuilder().setSeq(i).build());
          }
          to.onCompleted();
        };
    Iterator<KeepSessionResponse> answers =
        ClientCalls.blockingServerStreamingCall(
            a.channel, BeatService.MANY, CallOptions.DEFAULT, request(there, 0));
    List<Long> seqs = new ArrayList<>();
    answers.forEachRemaining(answer -> seqs.add(answer.getSeq()));
    assertEquals(List.of(0L, 1L, 2L, 3L, 4L), seqs);
  }

  @Test
  void slowReader_slowsTheOwnerDown() {
    AtomicInteger sent = new AtomicInteger();
    CompletableFuture<ServerCallStreamObserver<KeepSessionResponse>> stream =
        new CompletableFuture<>();
    b.beats.handler =
        (request, to) -> {
          to.setOnReadyHandler(() -> sendWhileReady(to, sent));
          stream.complete(to);
        };
    ClientCall<KeepSessionRequest, KeepSessionResponse> call =
        a.channel.newCall(BeatService.MANY, CallOptions.DEFAULT);
    call.start(new ClientCall.Listener<>() {}, new Metadata());
    call.sendMessage(request(there, 0));
    call.halfClose();
    call.request(1);
    AtomicInteger looks = new AtomicInteger();
    AtomicInteger last = new AtomicInteger();
    Await.until(
        "the owner has stopped",
        () -> {
          boolean same = sent.get() > 0 && last.getAndSet(sent.get()) == sent.get();
          return (same ? looks.incrementAndGet() : looks.getAndSet(0)) > 50;
        });
    int before = sent.get();
    assertTrue(before < MAX_SENT, "what lies in buffers on the way is little: " + before);
    call.request(before);
    Await.until("it sends again once there is room", () -> sent.get() > before);
    call.cancel("enough", null);
    Await.until("the owner hears of it", () -> stream.join().isCancelled());
  }

  @Test
  void bidiStream_isPassedOnBothWays() {
    Queue<Long> answers = new ConcurrentLinkedQueue<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    StreamObserver<KeepSessionRequest> requests = both(answers, end);
    for (int i = 1; i <= 3; i++) {
      requests.onNext(request(there, i));
      int expected = i;
      Await.until("answer " + i, () -> answers.size() == expected);
    }
    requests.onCompleted();
    end.orTimeout(10, TimeUnit.SECONDS).join();
    assertEquals(List.of(1L, 2L, 3L), List.copyOf(answers));
    assertEquals(3, b.beats.seen.size());
  }

  @Test
  void callerThatGoesAway_isHeardOfByTheOwner() {
    Queue<Long> answers = new ConcurrentLinkedQueue<>();
    StreamObserver<KeepSessionRequest> requests = both(answers, new CompletableFuture<>());
    requests.onNext(request(there, 1));
    Await.until("the stream stands", () -> answers.size() == 1);
    requests.onError(Status.CANCELLED.asRuntimeException());
    Await.until("the owner is told", () -> b.beats.ended.size() == 1);
  }

  @Test
  void deadline_endsTheCallAtTheOwnerToo() {
    CompletableFuture<ServerCallStreamObserver<KeepSessionResponse>> held =
        new CompletableFuture<>();
    b.beats.handler = (request, to) -> held.complete(to);
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(300, TimeUnit.MILLISECONDS);
    StatusRuntimeException late =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                ClientCalls.blockingUnaryCall(
                    a.channel, BeatService.ONE, options, request(there, 1)));
    assertEquals(Status.Code.DEADLINE_EXCEEDED, late.getStatus().getCode());
    Await.until("the owner's call is over", () -> held.join().isCancelled());
  }

  private static void sendWhileReady(
      ServerCallStreamObserver<KeepSessionResponse> to, AtomicInteger sent) {
    while (to.isReady() && !to.isCancelled() && sent.get() < MAX_SENT) {
      to.onNext(large());
      sent.incrementAndGet();
    }
  }

  private static KeepSessionResponse large() {
    UnknownFieldSet.Field bytes =
        UnknownFieldSet.Field.newBuilder()
            .addLengthDelimited(ByteString.copyFrom(new byte[64 << 10]))
            .build();
    return KeepSessionResponse.newBuilder()
        .setUnknownFields(UnknownFieldSet.newBuilder().addField(1000, bytes).build())
        .build();
  }

  private StreamObserver<KeepSessionRequest> both(
      Queue<Long> answers, CompletableFuture<Void> end) {
    return ClientCalls.asyncBidiStreamingCall(
        a.channel.newCall(BeatService.BOTH, CallOptions.DEFAULT),
        new StreamObserver<>() {
          @Override
          public void onNext(KeepSessionResponse answer) {
            answers.add(answer.getSeq());
          }

          @Override
          public void onError(Throwable thrown) {
            end.completeExceptionally(thrown);
          }

          @Override
          public void onCompleted() {
            end.complete(null);
          }
        });
  }
}
