package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerWheelTest {
  private static final long START = -12_345; // nanoTime may be negative
  private final TimerWheel wheel = new TimerWheel(START);
  private final List<String> fired = new ArrayList<>();

  @Test
  void timer_neverFiresEarly_andFiresAtItsMillisecond() {
    wheel.schedule(at(5) + 1, () -> fired.add("a"));
    wheel.advance(at(5) + 1);
    assertEquals(List.of(), fired, "due within the millisecond is due at its end");
    wheel.advance(at(6));
    assertEquals(List.of("a"), fired);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {1, 63, 64, 65, 4095, 4096, 262_143, 262_144, 16_777_215, 16_777_216, 99_999_999})
  void timer_atTheEdgesOfLevels_firesOnTime(long millis) {
    for (long from : new long[] {0, 1, 63, 64, 4095, 4096}) {
      TimerWheel one = new TimerWheel(START);
      one.advance(at(from));
      one.schedule(at(from + millis), () -> fired.add("x"));
      one.advance(at(from + millis) - 1);
      assertEquals(List.of(), fired, "from " + from);
      one.advance(at(from + millis));
      assertEquals(List.of("x"), fired, "from " + from);
      fired.clear();
    }
  }

  @Test
  void timerOfThePast_firesAtTheNextTick() {
    wheel.advance(at(10));
    wheel.schedule(at(3), () -> fired.add("late"));
    wheel.advance(at(11));
    assertEquals(List.of("late"), fired);
  }

  @Test
  void timerThatIsOverdue_firesAtTheNextAdvance_ofAClockThatStandsStill() {
    wheel.advance(at(10) + 1);
    wheel.schedule(
        at(10) + 1,
        () -> {
          fired.add("first");
          wheel.schedule(at(10) + 1, () -> fired.add("second"));
        });
    wheel.schedule(at(10), () -> fired.add("never")).cancel();
    assertEquals(at(10) + 1, wheel.nextNanos());
    wheel.advance(at(10) + 1);
    assertEquals(List.of("first"), fired);
    wheel.advance(at(10) + 1);
    assertEquals(List.of("first", "second"), fired);
    assertEquals(Long.MAX_VALUE, wheel.nextNanos());
  }

  @Test
  void timer_mayScheduleAnother_thatFiresInTheSameAdvance() {
    wheel.schedule(at(1), () -> wheel.schedule(at(2), () -> fired.add("second")));
    wheel.advance(at(5));
    assertEquals(List.of("second"), fired);
  }

  @Test
  void cancelledTimer_doesNotFire() {
    wheel.schedule(at(1), () -> fired.add("never")).cancel();
    wheel.advance(at(5));
    assertEquals(List.of(), fired);
  }

  @Test
  void nextNanos_isNeverAfterTheFirstTimer() {
    assertEquals(Long.MAX_VALUE, wheel.nextNanos());
    wheel.schedule(at(70), () -> {});
    assertTrue(wheel.nextNanos() <= at(70) && wheel.nextNanos() > START);
    wheel.advance(at(69));
    assertEquals(at(70), wheel.nextNanos());
    wheel.advance(at(70));
    assertEquals(Long.MAX_VALUE, wheel.nextNanos());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void randomTimers_fireInTheOrderOfTheirTime_andNoneIsLost(long seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    PriorityQueue<Long> model = new PriorityQueue<>();
    List<Long> seen = new ArrayList<>();
    long now = 0;
    for (int i = 0; i < 20_000; i++) {
      long due = now + 1 + (random.nextLong() >>> (44 + random.nextInt(20)));
      model.add(due);
      wheel.schedule(at(due), () -> seen.add(due));
      if (random.nextInt(4) == 0) {
        now += random.nextInt(4) == 0 ? random.nextInt(100_000) : random.nextInt(20);
        wheel.advance(at(now));
        assertEquals(dueBy(model, now), seen);
        seen.clear();
      }
    }
    wheel.advance(at(now + (1L << 21)));
    assertEquals(dueBy(model, Long.MAX_VALUE), seen);
  }

  private static List<Long> dueBy(PriorityQueue<Long> model, long now) {
    List<Long> due = new ArrayList<>();
    while (!model.isEmpty() && model.peek() <= now) {
      due.add(model.poll());
    }
    return due;
  }

  private static long at(long millis) {
    return START + TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
