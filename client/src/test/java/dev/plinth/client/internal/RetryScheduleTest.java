package dev.plinth.client.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryScheduleTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final RetrySchedule rule = new RetrySchedule(new Random(1));

  @Test
  void everyCode_isRetriedOnlyWhereItHelps() {
    Set<Code> retried = EnumSet.noneOf(Code.class);
    Set<Code> retriedWhenTold = EnumSet.noneOf(Code.class);
    for (Code code : EnumSet.complementOf(EnumSet.of(Code.OK))) {
      if (delay(Failures.plain(code), 0, LONG).isPresent()) {
        retried.add(code);
      }
      if (delay(Failures.withRetryInfo(code, SECOND), 0, LONG).isPresent()) {
        retriedWhenTold.add(code);
      }
    }
    assertEquals(EnumSet.of(Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.UNKNOWN), retried);
    assertEquals(
        EnumSet.of(Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.UNKNOWN, Code.RESOURCE_EXHAUSTED),
        retriedWhenTold);
  }

  @ParameterizedTest
  @CsvSource({"0,100", "1,200", "2,400", "5,3200", "6,5000", "60,5000"})
  void pause_isAnywhereUpToTheDoubledLimit(int failures, long maxMillis) {
    long longest = 0;
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < 2000; i++) {
      long pause = pause(failures).toMillis();
      longest = Math.max(longest, pause);
      shortest = Math.min(shortest, pause);
    }
    assertTrue(longest <= maxMillis && longest > maxMillis * 9 / 10, "longest " + longest);
    assertTrue(shortest < maxMillis / 10, "shortest " + shortest);
  }

  @Test
  void pause_isNeverBelowTheServersWord() {
    for (int i = 0; i < 200; i++) {
      Duration pause =
          delay(Failures.withRetryInfo(Code.UNAVAILABLE, SECOND), 0, LONG).orElseThrow();
      assertEquals(SECOND, pause);
    }
  }

  @Test
  void pause_beyondTheTimeLeft_isNone() {
    assertEquals(
        Optional.empty(), delay(Failures.withRetryInfo(Code.UNAVAILABLE, SECOND), 0, SECOND));
    assertEquals(Optional.empty(), delay(Failures.plain(Code.UNAVAILABLE), 0, Duration.ZERO));
  }

  private Optional<Duration> delay(StatusRuntimeException failure, int failures, Duration left) {
    return rule.delay(
        CallFailedException.of("Say", failure), failures, RetrySchedule.MAX_BACKOFF, left);
  }

  private Duration pause(int failures) {
    return delay(Failures.plain(Code.UNAVAILABLE), failures, LONG).orElseThrow();
  }
}
