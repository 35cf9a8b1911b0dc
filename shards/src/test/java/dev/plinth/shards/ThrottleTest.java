package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ThrottleTest {
  private static final long START = Long.MAX_VALUE - 5; // the monotonic clock may pass its end

  private final Throttle throttle = new Throttle("ids", "orders");

  @Test
  void aSecondsWorthPassesAtOnce_thenSteady() {
    for (int i = 0; i < 10; i++) {
      throttle.take(1, 10, START);
    }
    Failure.Exhausted over = over(1, START);
    assertEquals(ErrorReason.ERROR_REASON_RATE_EXCEEDED, over.reason());
    assertEquals(Duration.ofMillis(100), over.retryAfter());
    assertEquals("more than 10 ids a second in namespace orders", over.getMessage());
    long later = START + over.retryAfter().toNanos();
    throttle.take(1, 10, later);
    over(1, later);
  }

  @Test
  void moreThanASecondsWorth_passesIfNothingIsOwed_andIsMadeUpFor() {
    throttle.take(50, 10, START);
    assertEquals(Duration.ofMillis(4100), over(1, START).retryAfter());
    assertEquals(Duration.ofSeconds(5), over(50, START).retryAfter());
  }

  private Failure.Exhausted over(long count, long now) {
    return assertThrows(Failure.Exhausted.class, () -> throttle.take(count, 10, now));
  }

  @Test
  void expectedVersion_isComparedIfGiven() {
    ExpectedVersion.check("policy", Optional.empty(), 3);
    ExpectedVersion.check("policy", Optional.of(3L), 3);
    Failure.Conflict conflict =
        assertThrows(
            Failure.Conflict.class, () -> ExpectedVersion.check("policy", Optional.of(2L), 3));
    assertEquals(ErrorReason.ERROR_REASON_REVISION_CONFLICT, conflict.reason());
    assertEquals("policy has version 3 (expected: 2)", conflict.getMessage());
  }
}
