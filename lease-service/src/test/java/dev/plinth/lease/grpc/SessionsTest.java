package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.CloseSessionResponse;
import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Sessions: opened, resumed, kept and closed. Their streams are in {@link KeepSessionTest}. */
@OnEachStore(LeaseWiring.class)
class SessionsTest {
  private static final int MANY = 300;

  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void open_tellsTheTtl_theBeat_andASecret() {
    OpenSessionResponse opened = calls.open(calls.opening("ann"));
    assertEquals(Durations.fromSeconds(10), opened.getTtl());
    assertEquals(
        Durations.toMillis(opened.getTtl()) / 3, Durations.toMillis(opened.getHeartbeatInterval()));
    assertFalse(opened.getResumeSecret().isEmpty());
    assertFalse(opened.getResumed());
    OpenSessionResponse other = calls.open(calls.opening("ann").setTtl(LONG));
    assertEquals(LONG, other.getTtl());
    assertNotEquals(opened.getSessionId(), other.getSessionId());
    assertNotEquals(opened.getResumeSecret(), other.getResumeSecret());
  }

  @Test
  void open_sentAgain_isOneSession_overARestartToo() {
    OpenSessionRequest.Builder request = calls.opening("ann").setRequestId("o1");
    OpenSessionResponse first = calls.open(request);
    assertEquals(first, calls.open(request));
    server.restart();
    assertEquals(first, calls.open(request));
    assertEquals(1, sessions());
  }

  @Test
  void resume_withTheSecret_goesOnWithWhatIsHeld_afterARestartToo() {
    OpenSessionResponse opened = calls.open(calls.opening("ann").setTtl(LONG));
    Lease held = calls.grant(calls.wish("ann").setSessionId(opened.getSessionId()));
    server.restart();
    OpenSessionResponse resumed = calls.open(resumption(opened));
    assertTrue(resumed.getResumed());
    assertEquals(opened.getSessionId(), resumed.getSessionId());
    assertEquals(opened.getResumeSecret(), resumed.getResumeSecret());
    assertEquals(LONG, resumed.getTtl());
    assertEquals(List.of(held.getToken()), tokens(resumed));
    assertEquals(resumed, calls.open(resumption(opened).setOwnerId("ann")), "by its owner's name");
  }

  @Test
  void resume_withAnotherSecretOrOwner_isRefused() {
    OpenSessionResponse opened = calls.open(calls.opening("ann"));
    Refusal denied = Refusal.of(() -> calls.open(resumption(opened).setResumeSecret("guess")));
    denied.is(Status.Code.PERMISSION_DENIED, ErrorReason.ERROR_REASON_TOKEN_INVALID);
    assertEquals(opened.getSessionId(), denied.metadata().get("sessionId"));
    Refusal.of(() -> calls.open(resumption(opened).setOwnerId("bob")))
        .isOfField("owner_id", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  @Test
  void resume_ofASessionThatEnded_isRefused() {
    OpenSessionResponse opened = calls.open(calls.opening("ann"));
    calls.close(opened.getSessionId());
    Refusal.of(() -> calls.open(resumption(opened)))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
  }

  @Test
  void heartbeat_keepsTheSessionAndItsLeases_andTellsWhatAnOperatorWants() {
    OpenSessionResponse opened = calls.open(calls.opening("ann").setTtl(LONG));
    Lease held = calls.grant(calls.wish("ann").setSessionId(opened.getSessionId()));
    HeartbeatResponse quiet = beat(opened.getSessionId());
    assertEquals(LONG, quiet.getTtl());
    assertEquals(0, quiet.getReleaseAsksCount());
    calls.leases().forceRelease(calls.force(KEY).setGrace(LONG).build());
    HeartbeatResponse asked = beat(opened.getSessionId());
    assertEquals(KEY, asked.getReleaseAsks(0).getKey());
    assertEquals(held.getToken(), asked.getReleaseAsks(0).getToken());
    assertEquals("olga", asked.getReleaseAsks(0).getActor());
    assertEquals("maintenance", asked.getReleaseAsks(0).getReason());
    calls.release(held);
    assertEquals(0, beat(opened.getSessionId()).getReleaseAsksCount());
  }

  @Test
  void close_releasesCleanly_withoutLockDelay_onceAndForAll() {
    String session =
        calls.open(calls.opening("ann").setTtl(LONG).setLockDelay(LONG)).getSessionId();
    calls.grant(calls.wish("ann").setSessionId(session));
    CloseSessionRequest close =
        CloseSessionRequest.newBuilder()
            .setNamespace(calls.namespace)
            .setSessionId(session)
            .setRequestId("c1")
            .build();
    CloseSessionResponse closed = calls.leases().closeSession(close);
    assertEquals(1, closed.getReleased());
    assertEquals(closed, calls.leases().closeSession(close), "sent again");
    assertEquals(0, calls.close(session), "closed before");
    calls.grant("bob");
    Refusal ended = Refusal.of(() -> beat(session));
    ended.is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
    assertEquals(session, ended.metadata().get("sessionId"));
  }

  @Test
  void close_endsTheSessionsWaits() throws Exception {
    calls.grant("ann");
    String session = calls.session("bob");
    var waiting =
        LeaseCalls.async(
            () ->
                Refusal.of(
                    () ->
                        calls
                            .leases()
                            .acquire(
                                calls.wish("bob").setSessionId(session).setWait(LONG).build())));
    Await.until("bob is in line", () -> calls.key().getWaiters() == 1);
    calls.close(session);
    LeaseCalls.get(waiting)
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
    assertEquals(0, calls.key().getWaiters());
  }

  @Test
  void expiry_takesTheLeases_andBarsTheirKeys() {
    String session =
        calls
            .open(calls.opening("ann").setTtl(Durations.fromSeconds(1)).setLockDelay(LONG))
            .getSessionId();
    calls.grant(calls.wish("ann").setSessionId(session));
    Await.until("it expired", () -> calls.key().getHoldersCount() == 0);
    assertTrue(calls.key().hasDelayedFor());
    assertEquals(0, calls.close(session));
  }

  @Test
  void sessionWithManyKeys_closes() {
    String session = calls.session("ann");
    takeMany(session);
    assertEquals(MANY, calls.close(session));
    assertEquals(0, leases());
    assertEquals(0, sessions());
  }

  @Test
  void sessionWithManyKeys_expires() {
    String session =
        calls.open(calls.opening("ann").setTtl(Durations.fromSeconds(2))).getSessionId();
    takeMany(session);
    Await.until("all is gone", () -> leases() == 0 && sessions() == 0);
    Refusal.of(() -> beat(session))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
  }

  private void takeMany(String session) {
    for (int from = 0; from < MANY; from += 30) {
      AcquireSetRequest.Builder set =
          AcquireSetRequest.newBuilder()
              .setNamespace(calls.namespace)
              .setOwnerId("ann")
              .setSessionId(session);
      for (int i = from; i < from + 30; i++) {
        set.addItems(AcquireSetItem.newBuilder().setKey("k" + i));
      }
      assertEquals(
          AcquireSetResponse.Outcome.OUTCOME_GRANTED,
          calls.leases().acquireSet(set.build()).getOutcome());
      beat(session);
    }
  }

  private int leases() {
    return policyOfNow().getLeases();
  }

  private int sessions() {
    return policyOfNow().getSessions();
  }

  private dev.plinth.lease.v1.GetPolicyResponse policyOfNow() {
    return calls
        .leases()
        .getPolicy(GetPolicyRequest.newBuilder().setNamespace(calls.namespace).build());
  }

  private HeartbeatResponse beat(String session) {
    return calls
        .leases()
        .heartbeat(
            HeartbeatRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setSessionId(session)
                .build());
  }

  private OpenSessionRequest.Builder resumption(OpenSessionResponse opened) {
    return OpenSessionRequest.newBuilder()
        .setNamespace(calls.namespace)
        .setResumeSessionId(opened.getSessionId())
        .setResumeSecret(opened.getResumeSecret());
  }

  private static List<Long> tokens(OpenSessionResponse resumed) {
    return resumed.getHeldList().stream().map(Lease::getToken).toList();
  }
}
