package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
class SessionTest {
  private static final Duration TTL = Duration.ofSeconds(10);

  private final ManualClock clock = new ManualClock();
  private final List<CompletableFuture<Duration>> beats = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private Session session;

  @BeforeEach
  void open() {
    OwnThread thread = new OwnThread(clock.scheduler());
    Rhythm rhythm = new Rhythm(clock.nanos(), thread, Runnable::run, new RetryRule(new Random(1)));
    Tenure tenure = new Tenure(clock.nanos().getAsLong(), TTL);
    session = new Session("s", tenure, this::beat, rhythm);
    session.start();
    session.listen(this, LeaseState.JEOPARDY, () -> told.add("jeopardy"));
    session.listen(this, LeaseState.LOST, () -> told.add("lost"));
  }

  private CompletableFuture<Duration> beat(Duration deadline) {
    beats.add(new CompletableFuture<>());
    return beats.get(beats.size() - 1);
  }

  @Test
  void answeredBeats_keepItSafe_aThirdOfTheTimeApart() {
    for (int i = 1; i <= 100; i++) {
      advance(3000);
      assertEquals(i, beats.size());
      beats.get(i - 1).complete(TTL);
      clock.runDue();
    }
    assertEquals(LeaseState.SAFE, session.state());
    assertEquals(List.of(), told);
  }

  @Test
  void slowAnswer_countsFromBeforeTheSend() {
    advance(3000);
    advance(1500);
    beats.get(0).complete(TTL);
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
    beats.get(1).complete(TTL);
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
    beats.get(0).completeExceptionally(Failures.sessionExpired());
    clock.runDue();
    assertEquals(List.of("lost"), told);
  }

  @Test
  void answerAfterTheDeadline_isTooLate() {
    advance(3000);
    advance(6000);
    beats.get(0).complete(TTL);
    clock.runDue();
    assertEquals(LeaseState.LOST, session.state());
    advance(60_000);
    assertEquals(1, beats.size());
  }

  @Test
  void wallClockSteps_changeNothing() {
    clock.stepWall(Duration.ofHours(-5));
    advance(3000);
    assertEquals(1, beats.size());
    clock.stepWall(Duration.ofHours(10));
    beats.get(0).complete(TTL);
    clock.runDue();
    assertEquals(LeaseState.SAFE, session.state());
  }

  @Test
  void listenerThatComesLate_isToldAtOnce_andOneThatLeft_notAtAll() {
    session.forget(this);
    advance(9000);
    assertEquals(List.of(), told);
    session.listen("late", LeaseState.LOST, () -> told.add("late"));
    assertEquals(List.of("late"), told);
  }

  @Test
  void end_tellsTheLoss_andStopsTheBeats() {
    session.end();
    assertEquals(List.of("lost"), told);
    advance(60_000);
    assertEquals(0, beats.size());
  }

  private void fail(int beat, Code code) {
    beats.get(beat).completeExceptionally(Failures.plain(code));
    clock.runDue();
  }

  private void unavailable(CompletableFuture<Duration> beat) {
    beat.completeExceptionally(Failures.plain(Code.UNAVAILABLE));
    clock.runDue();
  }

  private void advance(long millis) {
    clock.advance(Duration.ofMillis(millis));
  }
}
