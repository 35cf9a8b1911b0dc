package dev.plinth.client.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.TestMachine;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientEventLoop;
import dev.plinth.client.internal.ClientEvents;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.Failures;
import dev.plinth.client.internal.LocalDeadline;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.ReleaseAsk;
import dev.plinth.testkit.ManualClock;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a manual clock: 10 s of ttl, 9 s of which may be believed, a beat every 3 s. */
class ClientSessionTest {
  private static final Duration TTL = Duration.ofSeconds(10);
  private static final HeartbeatResponse OK =
      HeartbeatResponse.newBuilder().setTtl(ClientWire.duration(TTL)).build();

  private final ManualClock clock = new ManualClock();
  private final List<CompletableFuture<HeartbeatResponse>> beats = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private ClientSession session;
  private LocalLease hold;

  @BeforeEach
  void open() {
    ClientEventLoop thread = new ClientEventLoop(clock.scheduler());
    ClientEnvironment environment =
        new ClientEnvironment(
            TestMachine.of(clock),
            thread,
            Runnable::run,
            new RetrySchedule(new Random(1)),
            ClientEvents.NONE);
    session =
        new ClientSession(
            OpenSessionResponse.newBuilder().setSessionId("s").build(),
            new LocalDeadline(environment.now(), TTL),
            this::beat,
            environment);
    session.start();
    clock.runDue();
    hold = LocalLease.on(session, lease(7), null);
    hold.on(LeaseState.JEOPARDY, () -> told.add("jeopardy"));
    hold.on(LeaseState.LOST, () -> told.add("lost"));
  }

  private CompletableFuture<HeartbeatResponse> beat(Duration deadline) {
    beats.add(new CompletableFuture<>());
    return beats.get(beats.size() - 1);
  }

  @Test
  void answeredBeats_keepItSafe_aThirdOfTheTimeApart() {
    for (int i = 1; i <= 100; i++) {
      advance(3000);
      assertEquals(i, beats.size());
      beats.get(i - 1).complete(OK);
      clock.runDue();
    }
    assertEquals(LeaseState.SAFE, session.state());
    assertEquals(List.of(), told);
  }

  @Test
  void slowAnswer_countsFromBeforeTheSend() {
    advance(3000);
    advance(1500);
    beats.get(0).complete(OK);
    clock.runDue();
    assertEquals(Duration.ofMillis(9000 - 1500), session.remaining());
    advance(1500);
    assertEquals(2, beats.size());
  }

  @Test
  void silence_isJeopardyThenLost_withoutACall() {
    advance(5999);
    assertEquals(List.of(), told);
    advance(1);
    assertEquals(List.of("jeopardy"), told);
    advance(2999);
    assertEquals(List.of("jeopardy"), told);
    advance(1);
    assertEquals(List.of("jeopardy", "lost"), told);
    assertEquals(1, beats.size());
  }

  @Test
  void failedBeat_isJeopardyAtOnce_andTriedAgainSoon() {
    advance(3000);
    fail(0, Code.UNAVAILABLE);
    assertEquals(List.of("jeopardy"), told);
    advance(100);
    assertEquals(2, beats.size());
    beats.get(1).complete(OK);
    clock.runDue();
    assertEquals(LeaseState.SAFE, session.state());
    advance(3000);
    fail(2, Code.DEADLINE_EXCEEDED);
    assertEquals(List.of("jeopardy", "jeopardy"), told);
  }

  @Test
  void beatsThatAllFail_endInLost_andThenStop() {
    for (int i = 0; i < 200 && !session.isLost(); i++) {
      advance(50);
      beats.stream().filter(beat -> !beat.isDone()).toList().forEach(this::unavailable);
    }
    assertTrue(session.isLost());
    assertEquals(List.of("jeopardy", "lost"), told);
    int sent = beats.size();
    advance(60_000);
    assertEquals(sent, beats.size());
  }

  @Test
  void serverSaysExpired_isLostAtOnce() {
    advance(3000);
    beats
        .get(0)
        .completeExceptionally(CallFailedException.of("Heartbeat", Failures.sessionExpired()));
    clock.runDue();
    assertEquals(List.of("lost"), told);
  }

  @Test
  void answerAfterTheDeadline_isTooLate() {
    advance(3000);
    advance(6000);
    beats.get(0).complete(OK);
    clock.runDue();
    assertEquals(LeaseState.LOST, session.state());
    advance(60_000);
    assertEquals(1, beats.size());
  }

  @Test
  void V15_wallClockSteps_changeNothing_butJeopardyUntilTheNextAnswer() {
    clock.stepWall(Duration.ofHours(-5));
    advance(3000);
    assertEquals(1, beats.size());
    clock.stepWall(Duration.ofHours(10));
    beats.get(0).complete(OK); // sent before the step, so it says nothing of the time since
    clock.runDue();
    assertEquals(List.of("jeopardy"), told);
    assertEquals(2, beats.size());
    beats.get(1).complete(OK);
    clock.runDue();
    assertEquals(LeaseState.SAFE, session.state());
    assertEquals(Duration.ofSeconds(9), session.remaining());
  }

  @Test
  void V15_machineThatSlept_isJeopardyAtTheNextLook_andAsksAtOnce() {
    advance(1000);
    clock.stepWall(Duration.ofMinutes(10));
    assertEquals(LeaseState.JEOPARDY, session.state());
    assertEquals(LeaseState.JEOPARDY, hold.state());
    clock.runDue();
    assertEquals(1, beats.size());
    assertEquals(List.of("jeopardy"), told);
    beats
        .get(0)
        .completeExceptionally(CallFailedException.of("Heartbeat", Failures.sessionExpired()));
    clock.runDue();
    assertEquals(List.of("jeopardy", "lost"), told);
  }

  @Test
  void V15_beatOutOfTurn_movesTheNextOne_andAddsNone() {
    advance(1000);
    clock.stepWall(Duration.ofMinutes(10));
    session.state();
    clock.runDue();
    beats.get(0).complete(OK);
    clock.runDue();
    advance(2999);
    assertEquals(1, beats.size());
    advance(1);
    assertEquals(2, beats.size());
  }

  @Test
  void releaseAsk_isToldOnce_andItsGraceEndsTheHoldAlone() {
    List<String> asks = new ArrayList<>();
    hold.onAsked(ask -> asks.add(ask.getReason()));
    LocalLease other = LocalLease.on(session, lease(8), null);
    advance(3000);
    advance(500);
    answerWithAsk(0, Duration.ofSeconds(4));
    assertEquals(List.of("maintenance"), asks);
    assertEquals(Duration.ofMillis(3500), hold.remaining()); // counted from before the send
    advance(2500);
    answerWithAsk(1, Duration.ofSeconds(1));
    assertEquals(1, asks.size());
    advance(999);
    assertEquals(LeaseState.SAFE, hold.state());
    advance(1);
    assertEquals(List.of("lost"), told);
    assertEquals(LeaseState.LOST, hold.state());
    assertEquals(LeaseState.SAFE, other.state());
    assertEquals(LeaseState.SAFE, session.state());
  }

  @Test
  void releaseAsk_reachesAListenerThatComesLate() {
    advance(3000);
    answerWithAsk(0, Duration.ofSeconds(4));
    List<String> asks = new ArrayList<>();
    hold.onAsked(ask -> asks.add(ask.getActor()));
    assertEquals(List.of("ops"), asks);
  }

  @Test
  void releaseAsk_thatEveryBeatRepeats_isLookedAtOnce() {
    for (int i = 0; i < 100; i++) {
      advance(3000);
      answerWithAsk(i, Duration.ofHours(1).minusSeconds(3L * i).plusMillis(i % 2));
    }
    assertEquals(LeaseState.SAFE, hold.state());
    int waiting = clock.scheduler().shutdownNow().size();
    assertTrue(waiting < 10, () -> waiting + " tasks wait");
  }

  @Test
  void releaseAsk_whoseGraceIsProlonged_endsTheHoldThen() {
    advance(3000);
    answerWithAsk(0, Duration.ofSeconds(4));
    advance(3000);
    answerWithAsk(1, Duration.ofSeconds(5));
    advance(3000);
    answerWithAsk(2, Duration.ofSeconds(2));
    advance(1999);
    assertEquals(List.of(), told);
    advance(1);
    assertEquals(List.of("lost"), told);
  }

  private void answerWithAsk(int beat, Duration grace) {
    ReleaseAsk ask =
        ReleaseAsk.newBuilder()
            .setToken(7)
            .setGrace(ClientWire.duration(grace))
            .setActor("ops")
            .setReason("maintenance")
            .build();
    beats.get(beat).complete(OK.toBuilder().addReleaseAsks(ask).build());
    clock.runDue();
  }

  @Test
  void listenerThatComesLate_isToldAtOnce_andOneThatLetGo_notAtAll() {
    hold.release();
    LocalLease other = LocalLease.on(session, lease(8), null);
    advance(9000);
    assertEquals(List.of(), told);
    other.on(LeaseState.LOST, () -> told.add("late"));
    assertEquals(List.of("late"), told);
  }

  @Test
  void holdOnOffer_isNotBelievedIn_untilNobodyTakesIt() {
    assertTrue(hold.beginTransfer());
    assertEquals(LeaseState.RELEASED, hold.state());
    assertEquals(Duration.ZERO, hold.remaining());
    hold.cancelTransfer();
    assertEquals(LeaseState.SAFE, hold.state());
    hold.beginTransfer();
    advance(9000);
    hold.cancelTransfer();
    assertEquals(List.of("lost"), told);
  }

  @Test
  void end_tellsTheLoss_andStopsTheBeats() {
    session.end();
    assertEquals(List.of("lost"), told);
    advance(60_000);
    assertEquals(0, beats.size());
  }

  private static Lease lease(long token) {
    return Lease.newBuilder().setToken(token).build();
  }

  private void fail(int beat, Code code) {
    beats
        .get(beat)
        .completeExceptionally(CallFailedException.of("Heartbeat", Failures.plain(code)));
    clock.runDue();
  }

  private void unavailable(CompletableFuture<HeartbeatResponse> beat) {
    beat.completeExceptionally(
        CallFailedException.of("Heartbeat", Failures.plain(Code.UNAVAILABLE)));
    clock.runDue();
  }

  private void advance(long millis) {
    clock.advance(Duration.ofMillis(millis));
  }
}
