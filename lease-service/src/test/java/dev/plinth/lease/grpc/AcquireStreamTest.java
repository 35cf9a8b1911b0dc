package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.AcquireStreamRequest;
import dev.plinth.lease.v1.AcquireStreamResponse;
import dev.plinth.lease.v1.AcquireStreamResponse.HoldNews;
import dev.plinth.lease.v1.AcquireStreamResponse.Lost;
import dev.plinth.lease.v1.EndCause;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.RecordedStream;
import io.grpc.Status;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** AcquireStream: the place in line, the grant, and what becomes of the hold. */
@OnEachStore(LeaseWiring.class)
class AcquireStreamTest {
  private static final Duration SHORT = Durations.fromSeconds(3);

  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void stream_tellsThePlaceInLine_asItChanges_thenTheGrant() {
    Lease ann = calls.grant("ann");
    var bob = calls.stream(calls.streamWish("bob").setTtl(LONG));
    assertEquals(1, bob.next().getQueued().getPosition());
    var cid = calls.stream(calls.streamWish("cid").setTtl(LONG));
    assertEquals(2, cid.next().getQueued().getPosition());
    var dan = calls.stream(calls.streamWish("dan").setTtl(LONG).setPriority(1));
    assertEquals(1, dan.next().getQueued().getPosition());
    assertEquals(2, bob.next().getQueued().getPosition());
    assertEquals(3, cid.next().getQueued().getPosition());
    calls.release(ann);
    Lease granted = granted(dan);
    assertTrue(granted.getToken() > ann.getToken());
    assertEquals(1, bob.next().getQueued().getPosition());
    calls.release(granted);
    granted(bob);
    assertEquals(2, cid.next().getQueued().getPosition());
    assertEquals(1, cid.next().getQueued().getPosition());
  }

  @Test
  void stream_ofAnOwnerThatHoldsIt_isReentry_andGoesOn() {
    Lease held = calls.grant("ann");
    var again = calls.stream(calls.streamWish("ann"));
    AcquireStreamResponse answer = again.next();
    assertEquals(Outcome.OUTCOME_REENTERED, answer.getResult().getOutcome());
    assertEquals(held.getToken(), answer.getResult().getLease().getToken());
    calls.leases().forceRelease(calls.force(KEY).build());
    assertTrue(again.next().hasLost());
    again.end();
  }

  @Test
  void stream_thatWillNotWait_orNotLonger_endsWithTheOutcome() {
    calls.grant("ann");
    var bob = calls.stream(calls.streamWish("bob").setWait(Durations.ZERO));
    assertEquals(Outcome.OUTCOME_HELD, bob.next().getResult().getOutcome());
    bob.end();
    var cid = calls.stream(calls.streamWish("cid").setWait(LeaseCalls.BRIEF));
    assertEquals(1, cid.next().getQueued().getPosition());
    assertEquals(Outcome.OUTCOME_TIMED_OUT, cid.next().getResult().getOutcome());
    cid.end();
  }

  @Test
  void stream_warnsOfJeopardy_saysWhenItIsSafe_andThatItExpired() {
    var ann = calls.stream(calls.streamWish("ann").setTtl(SHORT));
    Lease held = granted(ann);
    HoldNews danger = ann.next().getNews();
    assertEquals(HoldState.HOLD_STATE_JEOPARDY, danger.getState());
    assertTrue(Durations.compare(danger.getLeft(), SHORT) < 0);
    calls
        .leases()
        .renew(
            RenewRequest.newBuilder()
                .setNamespace(calls.namespace)
                .addItems(RenewItem.newBuilder().setKey(KEY).setToken(held.getToken()))
                .build());
    assertEquals(HoldState.HOLD_STATE_SAFE, ann.next().getNews().getState());
    assertEquals(HoldState.HOLD_STATE_JEOPARDY, ann.next().getNews().getState());
    Lost lost = lost(ann);
    assertEquals(EndCause.END_CAUSE_EXPIRED, lost.getCause());
    assertEquals("clock", lost.getActor());
  }

  @Test
  void stream_tellsWhatAnOperatorWants_andDoes() {
    var ann = calls.stream(calls.streamWish("ann").setTtl(LONG));
    Lease held = granted(ann);
    calls.leases().forceRelease(calls.force(KEY).setGrace(SHORT).build());
    HoldNews asked = ann.next().getNews();
    assertEquals(held.getToken(), asked.getReleaseAsk().getToken());
    assertEquals("olga", asked.getReleaseAsk().getActor());
    assertEquals("maintenance", asked.getReleaseAsk().getReason());
    Lost lost = lost(ann);
    assertEquals(EndCause.END_CAUSE_FORCED, lost.getCause());
    assertEquals("olga", lost.getActor());
    assertEquals("maintenance", lost.getReason());
  }

  @Test
  void stream_endsWithEveryOtherCauseToo() {
    String session = calls.session("ann");
    Map<EndCause, RecordedStream<AcquireStreamRequest, AcquireStreamResponse>> streams =
        new TreeMap<>();
    var released = calls.stream(calls.streamWish("ann").setKey("released"));
    calls.release(granted(released));
    streams.put(EndCause.END_CAUSE_RELEASED, released);
    var transferred = calls.stream(calls.streamWish("ann").setKey("transferred"));
    Lease given = granted(transferred);
    calls
        .leases()
        .transfer(
            TransferRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setKey("transferred")
                .setToken(given.getToken())
                .setToOwnerId("bob")
                .build());
    streams.put(EndCause.END_CAUSE_TRANSFERRED, transferred);
    var closed = calls.stream(calls.streamWish("ann").setKey("closed").setSessionId(session));
    granted(closed);
    calls.close(session);
    streams.put(EndCause.END_CAUSE_CLOSED, closed);
    streams.forEach((cause, stream) -> assertEquals(cause, lost(stream).getCause()));
  }

  @Test
  void waitingStream_endsWithItsSession() {
    calls.grant("ann");
    String session = calls.session("bob");
    var bob = calls.stream(calls.streamWish("bob").setSessionId(session));
    bob.next();
    calls.close(session);
    bob.refusal().is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
  }

  @Test
  void streamThatIsCancelled_leavesTheLine_andItsHoldStays() {
    var ann = calls.stream(calls.streamWish("ann").setTtl(LONG));
    Lease held = granted(ann);
    var bob = calls.stream(calls.streamWish("bob"));
    bob.next();
    var cid = calls.stream(calls.streamWish("cid"));
    assertEquals(2, cid.next().getQueued().getPosition());
    bob.cancel();
    assertEquals(1, cid.next().getQueued().getPosition());
    Await.until("bob's place is given up", () -> calls.key().getWaiters() == 1);
    ann.cancel();
    assertEquals(held.getToken(), calls.key().getHolders(0).getToken());
    calls.release(held);
    granted(cid);
  }

  @Test
  void streamThatComesBack_keepsItsPlace() {
    Lease ann = calls.grant("ann");
    var bob = calls.stream(calls.streamWish("bob"));
    bob.next();
    var cid = calls.stream(calls.streamWish("cid"));
    assertEquals(2, cid.next().getQueued().getPosition());
    bob.cancel();
    assertEquals(1, cid.next().getQueued().getPosition());
    var again = calls.stream(calls.streamWish("bob"));
    assertEquals(1, again.next().getQueued().getPosition());
    assertEquals(2, cid.next().getQueued().getPosition());
    calls.release(ann);
    granted(again);
  }

  @Test
  void streamRequest_hasTheFieldsOfAcquire_underTheSameNumbers() {
    Map<String, String> unary = fields(AcquireRequest.getDescriptor());
    unary.remove("request_id");
    unary.remove("cancel"); // by request id; a stream is cancelled by ending it
    assertEquals(unary, fields(AcquireStreamRequest.getDescriptor()));
  }

  private static Map<String, String> fields(com.google.protobuf.Descriptors.Descriptor message) {
    return message.getFields().stream()
        .collect(
            Collectors.toMap(
                field -> field.getName(),
                field -> {
                  var wire = field.toProto();
                  return wire.getNumber()
                      + " "
                      + wire.getLabel()
                      + " "
                      + wire.getType()
                      + wire.getTypeName();
                },
                (a, b) -> a,
                TreeMap::new));
  }

  private static Lease granted(RecordedStream<AcquireStreamRequest, AcquireStreamResponse> stream) {
    AcquireStreamResponse answer = stream.next();
    assertEquals(Outcome.OUTCOME_GRANTED, answer.getResult().getOutcome(), answer.toString());
    return answer.getResult().getLease();
  }

  private static Lost lost(RecordedStream<AcquireStreamRequest, AcquireStreamResponse> stream) {
    AcquireStreamResponse last = stream.next();
    assertTrue(last.hasLost(), last.toString());
    stream.end();
    return last.getLost();
  }
}
