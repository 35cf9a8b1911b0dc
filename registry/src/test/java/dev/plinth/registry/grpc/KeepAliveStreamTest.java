package dev.plinth.registry.grpc;

import static dev.plinth.registry.grpc.RegistryCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.KeepAliveRequest;
import dev.plinth.registry.v1.KeepAliveResponse;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.WatchMembersResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.RecordedStream;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** KeepAlive: beats on a stream, and what its end means. */
@OnEachStore(RegistryWiring.class)
class KeepAliveStreamTest {
  @Parameter ShardServer server;
  private RegistryCalls calls;
  private OpenSessionResponse session;
  private final RecordedStream<KeepAliveRequest, KeepAliveResponse> answers =
      new RecordedStream<>();
  private StreamObserver<KeepAliveRequest> beats;

  @BeforeEach
  void begin() {
    calls = new RegistryCalls(server);
    session = calls.open(LONG);
    beats = RegistryServiceGrpc.newStub(server.channel()).keepAlive(answers);
  }

  private KeepAliveRequest.Builder beat(long seq) {
    return KeepAliveRequest.newBuilder()
        .setNamespace(calls.namespace)
        .setSessionId(session.getSessionId())
        .setIncarnation(session.getIncarnation())
        .setSeq(seq);
  }

  @Test
  void beats_areAnswered_eachWithItsNumber() {
    calls.register(session, "a");
    for (long seq : new long[] {7, 8}) {
      beats.onNext(beat(seq).build());
      KeepAliveResponse answer = answers.next();
      assertEquals(seq, answer.getSeq());
      assertEquals(1, answer.getMembers());
      assertEquals(LONG, answer.getTtl());
      assertEquals(200, Durations.toSeconds(answer.getNextIn()));
    }
  }

  @Test
  void stream_thatBreaks_makesItSuspectAtOnce_andABeatAliveAgain() {
    calls.register(session, "a");
    beats.onNext(beat(1).build());
    answers.next();
    answers.cancel();
    calls.awaitState("a", MemberState.MEMBER_STATE_SUSPECT);
    calls.beat(session);
    calls.awaitState("a", MemberState.MEMBER_STATE_ALIVE);
  }

  @Test
  void stream_thatEndsInGoodOrder_changesNothing() {
    calls.register(session, "a");
    beats.onNext(beat(1).build());
    answers.next();
    beats.onCompleted();
    answers.end();
    var watch = calls.watch(calls.watching());
    Member member = watch.next().getSnapshot().getMembers(0);
    watch.next(WatchMembersResponse::hasProgress);
    assertEquals(MemberState.MEMBER_STATE_ALIVE, member.getState());
    assertEquals(member, calls.get("a"));
  }

  @Test
  void session_thatIsClosed_endsTheStream() {
    beats.onNext(beat(1).build());
    answers.next();
    calls.close(session);
    assertTrue(answers.next().getEnded());
    answers.end();
  }

  @Test
  void beat_ofAnUnknownSession_endsTheStream() {
    beats.onNext(beat(1).setSessionId("s-none").build());
    answers.refusal().is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_UNKNOWN);
  }

  @Test
  void beat_ofAnotherSession_isRefused() {
    beats.onNext(beat(1).build());
    answers.next();
    beats.onNext(beat(2).setSessionId(calls.open(LONG).getSessionId()).build());
    answers.refusal().isOfField("session_id", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  @Test
  void beat_inAnotherNamespace_isRefused() {
    beats.onNext(beat(1).build());
    answers.next();
    beats.onNext(beat(2).setNamespace("other").build());
    answers.refusal().isOfField("namespace", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  @Test
  void beat_ofAnotherIncarnation_isRefused() {
    beats.onNext(beat(1).build());
    answers.next();
    beats.onNext(beat(2).setIncarnation(session.getIncarnation() + 1).build());
    answers.refusal().isOfField("incarnation", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }
}
