package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HeapPressureTest {
  private final ManualClock clock = new ManualClock();
  private final AtomicBoolean full = new AtomicBoolean();
  private final AtomicInteger looks = new AtomicInteger();
  private final HeapPressure pressure =
      new HeapPressure(
          () -> {
            looks.incrementAndGet();
            return full.get();
          },
          clock.nanos());

  @Test
  void pressure_isLookedAtNowAndThen_andEndsAgain() {
    assertFalse(pressure.getAsBoolean());
    full.set(true);
    assertFalse(pressure.getAsBoolean());
    assertEquals(1, looks.get());
    clock.advance(Duration.ofMillis(50));
    assertTrue(pressure.getAsBoolean());
    full.set(false);
    clock.advance(Duration.ofMillis(50));
    assertFalse(pressure.getAsBoolean());
  }

  @Test
  void heapOfThisTest_isNotFull() {
    assertFalse(HeapPressure.ofThisProcess().getAsBoolean());
  }
}
