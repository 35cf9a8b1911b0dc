package dev.plinth.ratelimit.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LimitTest {
  private static final long MONTH = 30 * 24 * Limit.HOUR;

  @Test
  void isExact_whereNoNumberCanLeaveTheExactOnes() {
    assertTrue(new Limit.Bucket(1_000_000_000, 1, 1).isExact(), "1e6 a second, for 1000 s");
    assertTrue(new Limit.Bucket(1000, MONTH, 1).isExact(), "1000 in stock, one a month");
    assertFalse(new Limit.Bucket(10_000, MONTH, 1).isExact());
    assertFalse(new Limit.Bucket(1, 1, 2_000_000).isExact(), "an hour reserved is too much");
    assertFalse(new Limit.Bucket(Long.MAX_VALUE / 2, 4, 1).isExact(), "not even a long");
    assertFalse(new Limit.Bucket(Limit.MAX_COST + 1, 1, 1).isExact(), "a share of it is a product");
    assertTrue(new Limit.FixedWindow(Limit.MAX_IN_WINDOW, 1).isExact());
    assertFalse(new Limit.FixedWindow(Limit.MAX_IN_WINDOW + 1, 1).isExact());
    assertTrue(new Limit.Paced(MONTH, 1).isExact());
    assertTrue(new Limit.SlidingCounter(1_000_000, Limit.HOUR).isExact());
    assertFalse(new Limit.SlidingCounter(1_000_000_000, Limit.HOUR).isExact());
    assertTrue(new Limit.SlidingLog(100, 1).isExact());
    assertFalse(new Limit.SlidingLog(101, 1).isExact());
    assertFalse(new Limit.Concurrency(10_001).isExact());
  }

  @Test
  void calendar_followsTheZone() {
    assertWindow(CalendarUnit.DAY, "Europe/Berlin", "2026-03-29T10:00", 23, "2026-03-28T23:00");
    assertWindow(CalendarUnit.DAY, "Europe/Berlin", "2026-10-25T10:00", 25, "2026-10-24T22:00");
    assertWindow(CalendarUnit.WEEK, "UTC", "2026-01-01T00:00", 168, "2025-12-29T00:00");
    assertWindow(CalendarUnit.MONTH, "UTC", "2028-02-29T23:59", 29 * 24, "2028-02-01T00:00");
    assertWindow(CalendarUnit.YEAR, "UTC", "2026-05-05T00:00", 365 * 24, "2026-01-01T00:00");
    assertWindow(CalendarUnit.HOUR, "Asia/Kolkata", "2026-05-05T10:45", 1, "2026-05-05T10:30");
  }

  private static void assertWindow(
      CalendarUnit unit, String zone, String at, long hours, String start) {
    long from = micros(start);
    assertEquals(
        new Limit.Windowed.Window(from, from + hours * Limit.HOUR),
        new Limit.CalendarWindow(1, unit, ZoneId.of(zone)).windowAt(micros(at)),
        unit + " of " + zone + " at " + at);
  }

  private static long micros(String utc) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(utc + ":00Z"));
  }

  /** Also where clocks change by half an hour, at midnight, or skip a day. */
  @Test
  void calendar_everyMomentIsInItsWindow_andTheNextFollows() {
    Random random = new Random(1);
    for (String zone : ZoneId.getAvailableZoneIds()) {
      for (CalendarUnit unit : CalendarUnit.values()) {
        Limit.CalendarWindow limit = new Limit.CalendarWindow(1, unit, ZoneId.of(zone));
        for (int i = 0; i < 8; i++) {
          long now = random.nextLong(-20 * 365 * 24 * Limit.HOUR, 100 * 365 * 24 * Limit.HOUR);
          Limit.Windowed.Window window = limit.windowAt(now);
          assertTrue(window.start() <= now && now < window.end(), limit + " at " + now);
          assertEquals(window.end(), limit.windowAt(window.end() - 1).end(), limit + " at " + now);
          assertTrue(limit.windowAt(window.end()).end() > window.end(), limit + " at " + now);
        }
      }
    }
  }
}
