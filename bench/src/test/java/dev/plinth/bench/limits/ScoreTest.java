package dev.plinth.bench.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.bench.Measured;
import dev.plinth.bench.limits.Entry.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ScoreTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Limit LIMIT = new Limit(100, Duration.ofMillis(100));

  private static Report report(Duration offset, Duration length, long... admitted) {
    Histogram nanos = new Histogram(TimeUnit.SECONDS.toNanos(1), 2);
    nanos.recordValue(1_000);
    return new Report(
        new Measured(10, 10, 1, nanos, 20),
        START.plus(offset),
        START.plus(offset.plus(length)),
        admitted);
  }

  @Test
  void bound_isTheBurstAndWhatCameSince() {
    assertEquals(100, LIMIT.bound(0), 1e-9);
    assertEquals(2_100, LIMIT.bound(2), 1e-9);
  }

  @Test
  void add_ofOursAboveTheBound_isRefused() {
    Score ours = new Score("ours", Claim.HELD, LIMIT);
    ours.add(report(Duration.ZERO, Duration.ofSeconds(2), 5, 2_100), 1);
    assertEquals(1, ours.ofBound(), 1e-9);
    Report more = report(Duration.ZERO, Duration.ofSeconds(2), 5, 2_101);
    assertThrows(IllegalStateException.class, () -> ours.add(more, 1));
  }

  @Test
  void add_ofAnotherAboveTheBound_isShown() {
    Score theirs = new Score("theirs", Claim.STRICT, LIMIT);
    theirs.add(report(Duration.ZERO, Duration.ofSeconds(2), 2_310), 40);
    assertEquals(1.1, theirs.ofBound(), 1e-9);
    assertEquals(2, theirs.commandsPerDecision(), 1e-9);
  }

  @Test
  void add_ofOursThatDeniesBelowAWideLimit_isRefused() {
    Score ours = new Score("ours", Claim.HELD, Limit.WIDE);
    ours.add(report(Duration.ZERO, Duration.ofSeconds(1), 15, 5), 1);
    Report denied = report(Duration.ZERO, Duration.ofSeconds(1), 15, 4);
    assertThrows(IllegalStateException.class, () -> ours.add(denied, 1));
  }

  @Test
  void together_countsAKeyOverAllProcessesAndTheTimeOfAll() {
    Report early = report(Duration.ZERO, Duration.ofSeconds(1), 1_000, 0);
    Report late = report(Duration.ofSeconds(1), Duration.ofSeconds(1), 1_101, 2_000);
    Report both = Report.together(List.of(early, late));
    assertEquals(2_101 / 2_100.0, both.ofBound(LIMIT), 1e-9);
    assertEquals(20, both.measured().perSecond(), 1e-9);
    assertEquals(40, both.measured().inAll());
  }
}
