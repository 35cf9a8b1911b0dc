package dev.plinth.client.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OperationDeadlineTest {
  private final ManualClock clock = new ManualClock();

  @Test
  void left_countsDownToZero_andOverdrawnUpFromThere() {
    OperationDeadline deadline = new OperationDeadline(Duration.ofSeconds(3), clock.nanos());
    clock.advance(Duration.ofSeconds(2));
    assertEquals(Duration.ofSeconds(1), deadline.left());
    clock.advance(Duration.ofSeconds(2));
    assertTrue(deadline.isSpent());
    assertEquals(Duration.ofSeconds(1), deadline.overdrawn());
  }

  @Test
  void timeWithoutEnd_isNeverSpent_andNegativeOneIsSpentAtOnce() {
    Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
    OperationDeadline deadline = new OperationDeadline(forever, clock.nanos());
    clock.advance(Duration.ofDays(3650));
    assertFalse(deadline.isSpent());
    assertTrue(new OperationDeadline(forever.negated(), clock.nanos()).isSpent());
  }
}
