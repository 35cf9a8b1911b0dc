package dev.plinth.client.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.TestMachine;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientEventLoop;
import dev.plinth.client.internal.ClientEvents;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.client.internal.LocalDeadline;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Of a session that the server may keep, on a manual clock: 10 s of ttl, a beat every 3 s. */
class HeartbeatTest {
  private static final Duration TTL = Duration.ofSeconds(10);

  private final ManualClock clock = new ManualClock();
  private final List<CompletableFuture<String>> beats = new ArrayList<>();
  private final List<LeaseState> told = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private final ClientEnvironment environment =
      new ClientEnvironment(
          TestMachine.of(clock),
          new ClientEventLoop(clock.scheduler()),
          Runnable::run,
          new RetrySchedule(new Random(1)),
          ClientEvents.NONE);
  private final Heartbeat<String> heartbeat =
      new Heartbeat<>(new Kept(), new LocalDeadline(environment.now(), TTL), environment);

  private final class Kept implements Heartbeat.Session<String> {
    @Override
    public CompletableFuture<String> send(Duration deadline) {
      beats.add(new CompletableFuture<>());
      return beats.get(beats.size() - 1);
    }

    @Override
    public Duration ttl(String answer) {
      return TTL;
    }

    @Override
    public boolean isEndedBy(CallFailedException failure) {
      return false;
    }

    @Override
    public boolean isRevivable() {
      return true;
    }

    @Override
    public void onAnswer(String answer, ClockReading sentAt) {
      answers.add(answer + " after " + told);
    }

    @Override
    public void onStateChange(LeaseState state) {
      told.add(state);
    }
  }

  @Test
  void nothingIsSentAfterTheEnd_thoughTheServerMayHaveIt() {
    heartbeat.start();
    heartbeat.end();
    heartbeat.sendNow();
    clock.advance(Duration.ofMinutes(1));
    assertEquals(0, beats.size());
    assertEquals(List.of(LeaseState.LOST), told);
  }

  @Test
  void answerAfterTheEnd_revivesNothing() {
    heartbeat.start();
    clock.advance(Duration.ofSeconds(3));
    heartbeat.end();
    beats.get(0).complete("late");
    clock.advance(Duration.ofMinutes(1));
    assertEquals(LeaseState.LOST, heartbeat.state());
    assertEquals(1, beats.size());
  }

  @Test
  void answerThatRevives_isToldBeforeTheNewState() {
    heartbeat.start();
    clock.advance(Duration.ofSeconds(3));
    clock.advance(Duration.ofSeconds(5));
    beats.get(0).complete("one");
    clock.runDue();
    told.clear();
    clock.advance(Duration.ofSeconds(5)); // the beat was sent at 3 s: over at 12 s
    assertEquals(LeaseState.LOST, told.get(told.size() - 1));
    told.clear();
    beats.get(1).complete("two"); // sent at 8 s: good until 17 s
    clock.runDue();
    assertEquals("two after []", answers.get(1));
    assertNotEquals(LeaseState.LOST, heartbeat.state());
  }
}
