package dev.plinth.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;

class ManualClockTest {
  private final ManualClock clock = new ManualClock();
  private final List<String> seen = new ArrayList<>();

  @Test
  void advance_movesWallAndMonotonicTogether() {
    Instant before = clock.instant();
    clock.advance(Duration.ofSeconds(5));
    assertEquals(before.plusSeconds(5), clock.instant());
    assertEquals(SECONDS.toNanos(5), clock.nanos().getAsLong());
  }

  @Test
  void stepWall_leavesTheMonotonicClockAlone() {
    Instant before = clock.instant();
    clock.stepWall(Duration.ofHours(-1));
    assertEquals(before.minusSeconds(3600), clock.instant());
    assertEquals(0, clock.nanos().getAsLong());
  }

  @Test
  void advance_runsTasksInDueOrder_eachAtItsTime() {
    clock.scheduler().schedule(() -> note("late"), 3, SECONDS);
    clock.scheduler().schedule(() -> note("early"), 1, SECONDS);
    clock.scheduler().schedule(() -> note("early too"), 1, SECONDS);
    clock.advance(Duration.ofSeconds(5));
    assertEquals(List.of("early@1", "early too@1", "late@3"), seen);
  }

  @Test
  void schedule_insideATask_countsWithinTheSameAdvance() {
    clock
        .scheduler()
        .schedule(() -> clock.scheduler().schedule(() -> note("second"), 1, SECONDS), 1, SECONDS);
    clock.advance(Duration.ofSeconds(2));
    assertEquals(List.of("second@2"), seen);
  }

  @Test
  void execute_runsNothingUntilAsked() {
    clock.scheduler().execute(() -> note("now"));
    assertEquals(List.of(), seen);
    clock.runDue();
    assertEquals(List.of("now@0"), seen);
  }

  @Test
  void fixedRate_repeatsUntilCancelled() {
    ScheduledFuture<?> beat =
        clock.scheduler().scheduleAtFixedRate(() -> note("beat"), 1, 2, SECONDS);
    clock.advance(Duration.ofSeconds(4));
    beat.cancel(false);
    clock.advance(Duration.ofSeconds(4));
    assertEquals(List.of("beat@1", "beat@3"), seen);
  }

  @Test
  void cancel_beforeItIsDue_neverRuns() {
    ScheduledFuture<?> task = clock.scheduler().schedule(() -> note("never"), 1, SECONDS);
    assertTrue(task.cancel(false));
    clock.advance(Duration.ofSeconds(2));
    assertEquals(List.of(), seen);
  }

  @Test
  void shutdown_refusesNewTasks() {
    clock.scheduler().shutdown();
    assertThrows(RejectedExecutionException.class, () -> clock.scheduler().execute(() -> {}));
    assertTrue(clock.scheduler().isTerminated());
  }

  @Test
  void advance_backwards_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> clock.advance(Duration.ofNanos(-1)));
    assertFalse(clock.scheduler().isShutdown());
  }

  private void note(String what) {
    seen.add(what + "@" + clock.nanos().getAsLong() / SECONDS.toNanos(1));
  }
}
