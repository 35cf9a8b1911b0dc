package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.EndCause;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.RecordedStream;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** The stream that keeps a session: beats one way, answers and dangers the other. */
@OnEachStore(LeaseWiring.class)
class KeepSessionTest {
  private static final Duration SHORT = Durations.fromSeconds(3);

  @Parameter ShardServer server;
  private LeaseCalls calls;
  private RecordedStream<KeepSessionRequest, KeepSessionResponse> recordedStream;
  private StreamObserver<KeepSessionRequest> beats;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
    recordedStream = new RecordedStream<>();
    beats = LeaseServiceGrpc.newStub(calls.channel()).keepSession(recordedStream);
  }

  @Test
  void beat_isAnsweredUnderItsNumber_andTellsWhenToSendTheNext() {
    String session = calls.session("ann");
    for (long seq : new long[] {7, 8}) {
      beat(session, seq);
      KeepSessionResponse answer = recordedStream.next();
      assertEquals(seq, answer.getSeq());
      assertEquals(HoldState.HOLD_STATE_SAFE, answer.getState());
      assertEquals(LONG, answer.getTtl());
      assertEquals(Durations.toMillis(LONG) / 3, Durations.toMillis(answer.getNextIn()));
    }
    beats.onCompleted();
    recordedStream.end();
    assertEquals(0, calls.close(session), "the session outlives its stream, and had no keys");
  }

  @Test
  void caller_thatDoesNotReadItsAnswers_isNotReadFromEither() {
    String session = calls.session("ann");
    AtomicReference<ClientCallStreamObserver<KeepSessionRequest>> call = new AtomicReference<>();
    StreamObserver<KeepSessionRequest> unread =
        LeaseServiceGrpc.newStub(calls.channel())
            .keepSession(
                new ClientResponseObserver<KeepSessionRequest, KeepSessionResponse>() {
                  @Override
                  public void beforeStart(ClientCallStreamObserver<KeepSessionRequest> stream) {
                    stream.disableAutoRequestWithInitial(0);
                    call.set(stream);
                  }

                  @Override
                  public void onNext(KeepSessionResponse answer) {}

                  @Override
                  public void onError(Throwable thrown) {}

                  @Override
                  public void onCompleted() {}
                });
    int sent = 0;
    int refusals = 0;
    while (sent < 1_000 && refusals < 200) {
      if (call.get().isReady()) {
        unread.onNext(
            KeepSessionRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setSessionId(session)
                .setSeq(++sent)
                .build());
        refusals = 0;
      } else {
        refusals++;
        LockSupport.parkNanos(1_000_000);
      }
    }
    assertTrue(sent < 100, sent + " beats were taken");
    call.get().cancel("done", null);
  }

  @Test
  void silence_isJeopardy_aBeatIsSafety_andThenTheSessionIsLost() {
    String session = calls.open(calls.opening("ann").setTtl(SHORT)).getSessionId();
    beat(session, 1);
    assertEquals(HoldState.HOLD_STATE_SAFE, recordedStream.next().getState());
    KeepSessionResponse danger = recordedStream.next();
    assertEquals(0, danger.getSeq());
    assertEquals(HoldState.HOLD_STATE_JEOPARDY, danger.getState());
    assertTrue(Durations.compare(danger.getLeft(), SHORT) < 0);
    beat(session, 2);
    KeepSessionResponse safe = recordedStream.next(answer -> answer.getSeq() == 2);
    assertEquals(HoldState.HOLD_STATE_SAFE, safe.getState());
    assertEquals(HoldState.HOLD_STATE_JEOPARDY, recordedStream.next().getState());
    KeepSessionResponse lost = recordedStream.next();
    assertEquals(HoldState.HOLD_STATE_LOST, lost.getState());
    assertEquals(EndCause.END_CAUSE_EXPIRED, lost.getCause());
    recordedStream.end();
  }

  @Test
  void sessionThatIsClosed_isLost_andTheStreamEnds() {
    String session = calls.session("ann");
    beat(session, 1);
    recordedStream.next();
    calls.close(session);
    KeepSessionResponse lost = recordedStream.next();
    assertEquals(HoldState.HOLD_STATE_LOST, lost.getState());
    assertEquals(EndCause.END_CAUSE_CLOSED, lost.getCause());
    recordedStream.end();
  }

  @Test
  void operatorsWish_isToldAtOnce_andWithEachBeat_untilTheHoldEnds() {
    String session = calls.session("ann");
    Lease held = calls.grant(calls.wish("ann").setSessionId(session));
    beat(session, 1);
    assertEquals(0, recordedStream.next().getReleaseAsksCount());
    calls.leases().forceRelease(calls.force(KEY).setGrace(LONG).build());
    KeepSessionResponse asked = recordedStream.next();
    assertEquals(0, asked.getSeq());
    assertEquals(held.getToken(), asked.getReleaseAsks(0).getToken());
    beat(session, 2);
    assertEquals("olga", recordedStream.next().getReleaseAsks(0).getActor());
    calls.release(held);
    beat(session, 3);
    assertEquals(0, recordedStream.next().getReleaseAsksCount());
  }

  @Test
  void beatOfASessionThatIsNotOpen_endsTheStream() {
    beat("s-none", 1);
    recordedStream
        .refusal()
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
  }

  @Test
  void beatOfAnotherSession_isRefused() {
    String session = calls.session("ann");
    beat(session, 1);
    recordedStream.next();
    beat(calls.session("bob"), 2);
    recordedStream.refusal().isOfField("session_id", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  @Test
  void beatInAnotherNamespace_isRefused() {
    String session = calls.session("ann");
    beat(session, 1);
    recordedStream.next();
    beats.onNext(
        KeepSessionRequest.newBuilder().setNamespace("other").setSessionId(session).build());
    recordedStream.refusal().isOfField("namespace", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  private void beat(String session, long seq) {
    beats.onNext(
        KeepSessionRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setSessionId(session)
            .setSeq(seq)
            .build());
  }
}
