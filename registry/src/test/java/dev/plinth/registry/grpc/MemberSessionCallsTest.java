package dev.plinth.registry.grpc;

import static dev.plinth.registry.grpc.RegistryCalls.LONG;
import static dev.plinth.registry.grpc.RegistryCalls.SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.CloseSessionResponse;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegisterResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Sessions: opened, kept by beats, silent, closed. */
@OnEachStore(RegistryWiring.class)
class MemberSessionCallsTest {
  @Parameter ShardServer server;
  private RegistryCalls calls;

  @BeforeEach
  void begin() {
    calls = new RegistryCalls(server);
  }

  @Test
  void open_tellsTheTimesItLivesBy_andSentAgainIsTheSame() {
    OpenSessionRequest request =
        OpenSessionRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setClient("test")
            .setRequestId("open")
            .build();
    OpenSessionResponse opened = calls.registry().openSession(request);
    assertEquals(15, Durations.toSeconds(opened.getTtl()));
    assertEquals(5, Durations.toSeconds(opened.getBeatInterval()));
    assertEquals(15, Durations.toSeconds(opened.getSuspectAfter()));
    assertEquals(30, Durations.toSeconds(opened.getDeadAfter()));
    assertEquals(45, Durations.toSeconds(opened.getMaxHold()));
    assertEquals(opened, calls.registry().openSession(request));
    assertTrue(calls.open(LONG).getIncarnation() > opened.getIncarnation());
  }

  @Test
  void beat_isAnswered_withWhatTheSessionHas() {
    OpenSessionResponse session = calls.open(LONG);
    Member a = calls.register(session, "a");
    calls.register(session, "b");
    assertEquals(2, calls.beat(session).getMembers());
    calls
        .registry()
        .deregister(
            calls
                .deregistering(a)
                .clearSessionId()
                .setForce(true)
                .setActor("olga")
                .setReason("stuck")
                .build());
    BeatResponse told = calls.beat(session);
    assertEquals(1, told.getMembers());
    assertEquals("a", told.getLost(0).getName());
    assertEquals(LONG, told.getTtl());
    assertEquals(200, Durations.toSeconds(told.getNextIn()));
  }

  @Test
  void ghostMember_beatOfAnUnknownSession_isNotFound() {
    OpenSessionResponse session = calls.open(LONG);
    OpenSessionResponse other =
        session.toBuilder().setIncarnation(session.getIncarnation() + 1).build();
    Refusal refusal = Refusal.of(() -> calls.beat(other));
    refusal.is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_UNKNOWN);
    assertEquals(session.getSessionId(), refusal.metadata().get("name"));
    calls.register(session, "a");
    assertEquals(1, calls.close(session));
    Refusal.of(() -> calls.beat(session))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_UNKNOWN);
    assertEquals(MemberState.MEMBER_STATE_LEFT, calls.state("a"));
    Refusal.of(() -> calls.register(session, "a"))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_UNKNOWN);
  }

  @Test
  void falseLiveness_aSilentMember_isSuspect_thenDead() {
    OpenSessionResponse session = calls.open(SHORT);
    calls.register(session, "a");
    calls.awaitState("a", MemberState.MEMBER_STATE_SUSPECT);
    assertEquals(1, calls.list().size());
    calls.awaitState("a", MemberState.MEMBER_STATE_DEAD);
    assertEquals(0, calls.list().size());
    Refusal.of(() -> calls.beat(session))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_UNKNOWN);
    assertEquals("DEAD: its session was silent for two ttls", calls.explain("a").getWhy());
  }

  @Test
  void falseDeath_aBeatInSuspect_revives() {
    OpenSessionResponse session = calls.open(Durations.fromSeconds(2));
    calls.register(session, "a");
    calls.awaitState("a", MemberState.MEMBER_STATE_SUSPECT);
    calls.beat(session);
    calls.awaitState("a", MemberState.MEMBER_STATE_ALIVE);
  }

  @Test
  void falseDeath_aRestart_givesAFullTtl() {
    OpenSessionResponse session = calls.open(LONG);
    Member member = calls.register(session, "a");
    server.restart();
    assertEquals(member, calls.get("a"));
    var detail = calls.explain("a").getSession();
    assertEquals("", detail.getSilentFor().toString(), "not heard of by this owner");
    long left = Durations.toSeconds(LONG) - Durations.toSeconds(detail.getSuspectIn());
    assertTrue(left <= 60, left + " s of the ttl are gone");
    assertEquals(1, calls.beat(session).getMembers());
    assertTrue(calls.explain("a").getSession().hasSilentFor());
  }

  @Test
  void close_endsItsMembersOnce_andSentAgainIsTheSame() {
    OpenSessionResponse session = calls.open(LONG);
    for (int i = 0; i < 150; i++) {
      calls.register(session, "m-" + i);
    }
    CloseSessionResponse closed =
        calls.registry().closeSession(calls.closing(session).setRequestId("c").build());
    assertEquals(150, closed.getLeft());
    assertEquals(
        closed, calls.registry().closeSession(calls.closing(session).setRequestId("c").build()));
    assertEquals(0, calls.close(session));
    assertEquals(0, calls.list().size());
    server.restart();
    assertEquals(MemberState.MEMBER_STATE_LEFT, calls.state("m-149"));
  }

  @Test
  void members_ofASession_areBounded() {
    OpenSessionResponse session = calls.open(LONG);
    for (int i = 0; i < 1000; i++) {
      calls.register(session, "m-" + i);
    }
    Refusal.of(() -> calls.register(session, "more"))
        .isExhausted(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED);
    RegisterResponse again = calls.registry().register(calls.registering(session, "m-1").build());
    assertEquals(RegisterResponse.Outcome.OUTCOME_REGISTERED, again.getOutcome());
    assertEquals(1000, calls.close(session));
  }
}
