package dev.plinth.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HeapPressureTest {
  private static final class CountedCollector implements HeapCollector {
    private int collections;
    private int rests;

    @Override
    public void collect() {
      collections++;
    }

    @Override
    public void rest() {
      rests++;
    }
  }

  private final AtomicLong nanos = new AtomicLong();
  private final CountedCollector collector = new CountedCollector();
  private boolean full;
  private int looks;
  private final HeapPressure pressure =
      new HeapPressure(
          () -> {
            looks++;
            return full;
          },
          collector,
          nanos::get);

  private boolean isHighAfter(Duration time) {
    nanos.addAndGet(time.toNanos());
    return pressure.getAsBoolean();
  }

  @Test
  void pressure_isLookedAtNowAndThen_andEndsAgain() {
    assertFalse(pressure.getAsBoolean());
    full = true;
    assertFalse(pressure.getAsBoolean());
    assertEquals(1, looks);
    assertTrue(isHighAfter(Duration.ofMillis(50)));
    full = false;
    assertFalse(isHighAfter(Duration.ofMillis(50)));
  }

  @Test
  void fullHeap_isCollectedNowAndThen_untilThereIsRoom() {
    full = true;
    assertTrue(isHighAfter(Duration.ofMillis(50)));
    assertTrue(isHighAfter(Duration.ofSeconds(4)));
    assertEquals(0, collector.collections);
    assertTrue(isHighAfter(Duration.ofSeconds(1)));
    assertTrue(isHighAfter(Duration.ofSeconds(1)));
    assertEquals(1, collector.collections);
    assertTrue(isHighAfter(Duration.ofSeconds(5)));
    assertEquals(2, collector.collections);
    assertEquals(0, collector.rests);
    full = false;
    assertFalse(isHighAfter(Duration.ofSeconds(5)));
    assertFalse(isHighAfter(Duration.ofSeconds(5)));
    assertEquals(2, collector.collections);
    assertEquals(1, collector.rests);
  }

  @Test
  void heapOfThisTest_isNotFull() {
    assertFalse(HeapPressure.ofThisProcess().getAsBoolean());
  }

  @Test
  void collectorOfThisProcess_canBeAsked() {
    HeapCollector ours = HeapCollector.ofThisProcess();
    ours.collect();
    ours.rest();
  }
}
