package dev.plinth.shards.grpc;

import static dev.plinth.shards.grpc.ForwardingPair.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.server.call.CallContext;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.InProcessHost;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two nodes with real ports: calls come to a, and their shards are where the test wants them. */
class CallForwarderTest {
  private static final Metadata.Key<String> TRACE =
      Metadata.Key.of("x-trace", Metadata.ASCII_STRING_MARSHALLER);

  private final ForwardingPair nodes = new ForwardingPair();
  private final ForwardingNode a = nodes.a;
  private final ForwardingNode b = nodes.b;
  private final String there = nodes.there;

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void callForAShardHere_isAnsweredHere() {
    assertEquals(1, one(a.channel, request(a.namespaceHere(), 1)).getSeq());
    assertEquals(1, a.beats.seen.size());
    assertFalse(a.beats.seen.peek().headers().containsKey(CallForwarder.FORWARDED_BY));
    assertEquals(0, a.callForwarder.peers().open());
  }

  @Test
  void callForAShardElsewhere_isAnsweredByItsOwner_withItsMetadataAndDeadline() {
    Metadata headers = new Metadata();
    headers.put(TRACE, "t1");
    Channel traced =
        ClientInterceptors.intercept(a.channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
    KeepSessionResponse answer =
        ClientCalls.blockingUnaryCall(traced, BeatService.ONE, options, request(there, 7));
    assertEquals(7, answer.getSeq());
    assertEquals(0, a.beats.seen.size());
    BeatService.Seen seen = b.beats.seen.remove();
    assertEquals("a", seen.headers().get(CallForwarder.FORWARDED_BY));
    assertEquals("t1", seen.headers().get(TRACE));
    assertTrue(seen.headers().containsKey(CallContext.ID_HEADER), "both logs name the call alike");
    long left = seen.context().getDeadline().timeRemaining(TimeUnit.SECONDS);
    assertTrue(left <= 20 && left > 0, left + " s");
    assertEquals(1, a.forwarded("OK"));
  }

  @Test
  void callThatNeedsNoOwner_isAnsweredWhereItArrives() {
    a.beats.answeredAnywhere = BeatService.ONE;
    InProcessHost host = InProcessHost.routed(a.beats, a.callForwarder);
    try (host) {
      one(host.channel(), request(there, 1));
      assertEquals(1, a.beats.seen.size());
      ClientCalls.blockingServerStreamingCall(
              host.channel(), BeatService.MANY, CallOptions.DEFAULT, request(there, 2))
          .forEachRemaining(answer -> assertEquals(2, answer.getSeq()));
      assertEquals(1, b.beats.seen.size(), "the others go to the owner");
    }
  }

  @Test
  void domain_namesTheShard_asANamespaceDoes() {
    ShardKeyExtractor key =
        ShardKeyExtractor.of(CallDeclaration.of(RateLimitServiceGrpc.getCheckMethod()))
            .orElseThrow();
    CheckRequest check = CheckRequest.newBuilder().setDomain(there).build();
    assertEquals(
        Optional.of(new RequestShard(a.shards.shardOf(there), there)), key.find(check, a.shards));
    assertEquals(
        Optional.of(new RequestShard(a.shards.shardOf("default"), "default")),
        key.find(CheckRequest.getDefaultInstance(), a.shards));
    assertEquals(
        Optional.empty(),
        key.find(CheckRequest.newBuilder().setDomain("No Spaces").build(), a.shards),
        "the endpoint says it best");
    assertTrue(
        ShardKeyExtractor.of(CallDeclaration.of(RateLimitServiceGrpc.getCheckStreamMethod()))
            .isEmpty(),
        "a stream has checks of many domains");
  }

  @Test
  void everyCallOverOneChannel_toEachPeer() {
    for (int i = 0; i < 20; i++) {
      one(a.channel, request(there, i));
    }
    assertEquals(1, a.callForwarder.peers().open());
  }

  @Test
  void refusalOfTheOwner_comesBackWhole() {
    b.beats.handler =
        (request, to) -> {
          throw Failure.Invalid.field("seq", 7, "8");
        };
    StatusRuntimeException refused = refused(a.channel, request(there, 7));
    assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
    assertEquals("seq: 7 (expected: 8)", refused.getStatus().getDescription());
    assertEquals("FIELD_INVALID", info(refused).getReason());
    assertEquals(1, a.forwarded("REFUSED"));
  }

  @Test
  void trailersOfTheOwner_comeBackToo() {
    b.beats.handler =
        (request, to) -> {
          Metadata trailers = new Metadata();
          trailers.put(TRACE, "t2");
          to.onError(Status.ABORTED.withDescription("no").asRuntimeException(trailers));
        };
    StatusRuntimeException refused = refused(a.channel, request(there, 7));
    assertEquals(Status.Code.ABORTED, refused.getStatus().getCode());
    assertEquals("t2", refused.getTrailers().get(TRACE));
  }

  @Test
  void requestWithoutAValidNamespace_isAnsweredHere() {
    one(a.channel, request("Not Valid", 1));
    assertEquals(1, a.beats.seen.size());
  }

  @Test
  void callThatWasPassedOn_isNotPassedOnAgain() {
    Metadata headers = new Metadata();
    headers.put(CallForwarder.FORWARDED_BY, "c");
    Channel forwarded =
        ClientInterceptors.intercept(a.channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    StatusRuntimeException refused = refused(forwarded, request(there, 1));
    assertEquals(Status.Code.UNAVAILABLE, refused.getStatus().getCode());
    ErrorInfo info = info(refused);
    assertEquals("SHARD_MOVED", info.getReason());
    assertEquals("none", info.getMetadataOrThrow("effect"));
    assertEquals("b", info.getMetadataOrThrow("owner"));
    assertEquals(b.address(), info.getMetadataOrThrow("address"));
    assertEquals(0, b.beats.seen.size());
  }

  @Test
  void ownerThatDies_withACallUnderWay_leavesItsOutcomeUnknown() {
    CompletableFuture<?> reached = new CompletableFuture<>();
    b.beats.handler = (request, to) -> reached.complete(null);
    CompletableFuture<StatusRuntimeException> ending =
        CompletableFuture.supplyAsync(() -> refused(a.channel, request(there, 1)));
    reached.orTimeout(10, TimeUnit.SECONDS).join();
    b.store.kill();
    StatusRuntimeException lost = ending.orTimeout(20, TimeUnit.SECONDS).join();
    assertEquals(Status.Code.UNAVAILABLE, lost.getStatus().getCode());
    assertEquals("OUTCOME_PENDING", info(lost).getReason());
    assertEquals(1, a.forwarded("LOST"));
    assertEquals(0, a.beats.seen.size(), "it was not sent again");
  }

  @Test
  void callThatNeverLeft_waitsForTheNextOwner() {
    b.host.close(); // hands its shards on
    assertEquals(1, one(a.channel, request(there, 1)).getSeq());
    assertEquals(1, a.beats.seen.size());
    Await.until("the channel to it is closed", () -> a.callForwarder.peers().open() == 0);
  }

  @Test
  void waiterInLine_atAShardThatMoves_isAnsweredByTheNextOwner() {
    waitInLineAtB();
    a.beats.handler = (request, to) -> answerThroughShards(a, request, to, false);
    CompletableFuture<KeepSessionResponse> here =
        CompletableFuture.supplyAsync(() -> one(b.channel, request(there, 1)));
    CompletableFuture<KeepSessionResponse> passedOn =
        CompletableFuture.supplyAsync(() -> one(a.channel, request(there, 2)));
    Await.until("both wait at b", () -> b.beats.seen.size() == 2);
    b.shards.leave(Duration.ofSeconds(10));
    assertEquals(1, here.orTimeout(20, TimeUnit.SECONDS).join().getSeq());
    assertEquals(2, passedOn.orTimeout(20, TimeUnit.SECONDS).join().getSeq());
    assertEquals(2, a.beats.seen.size());
    assertEquals(1, a.forwarded("MOVED"));
    assertEquals(1, b.forwarded("OK"));
  }

  private void waitInLineAtB() {
    b.beats.handler = (request, to) -> answerThroughShards(b, request, to, true);
  }

  /** As an endpoint does it; one that waits gets no answer from its shard. */
  private static void answerThroughShards(
      ForwardingNode node,
      KeepSessionRequest request,
      StreamObserver<KeepSessionResponse> to,
      boolean waits) {
    new ShardCalls<>(node.shards, node.texts)
        .read(
            node.shards.shardOf(request.getNamespace()),
            CommandPriority.NORMAL,
            (state, tx, reply) -> {
              if (!waits) {
                reply.send(tx, BeatService.answer(request));
              }
            },
            to);
  }

  private static KeepSessionResponse one(Channel channel, KeepSessionRequest request) {
    return ClientCalls.blockingUnaryCall(channel, BeatService.ONE, CallOptions.DEFAULT, request);
  }

  private static StatusRuntimeException refused(Channel channel, KeepSessionRequest request) {
    return assertThrows(StatusRuntimeException.class, () -> one(channel, request));
  }

  private static ErrorInfo info(StatusRuntimeException refused) {
    Any first = StatusProto.fromThrowable(refused).getDetails(0);
    try {
      return first.unpack(ErrorInfo.class);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
