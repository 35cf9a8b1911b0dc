package dev.plinth.ratelimit.policy;

import dev.plinth.ratelimit.policy.Limit.Windowed.Window;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** The windows of a calendar. */
public enum CalendarUnit {
  HOUR(1),
  DAY(23),
  WEEK(7 * 24 - 1),
  MONTH(28 * 24 - 1),
  YEAR(365 * 24 - 1);

  private final long minHours;

  CalendarUnit(long minHours) {
    this.minHours = minHours;
  }

  /** In microseconds. Days have 23 hours where summer begins, Februaries 28 days. */
  long minLength() {
    return minHours * Limit.HOUR;
  }

  Window windowAt(long micros, ZoneId zone) {
    Instant now = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    if (this == HOUR) {
      // By the offset of now: local hours are not all whole where clocks change by half of one.
      long offset = zone.getRules().getOffset(now).getTotalSeconds() * 1_000_000L;
      long start = Math.floorDiv(micros + offset, Limit.HOUR) * Limit.HOUR - offset;
      return new Window(start, start + Limit.HOUR);
    }
    LocalDate first = first(LocalDate.ofInstant(now, zone));
    long start = startOf(first, zone);
    long end = startOf(next(first), zone);
    while (end <= micros) { // where the clock falls back over midnight, a date is there twice
      first = next(first);
      start = end;
      end = startOf(next(first), zone);
    }
    return new Window(start, end);
  }

  private LocalDate first(LocalDate day) {
    return switch (this) {
      case WEEK -> day.minusDays(day.getDayOfWeek().getValue() - 1L);
      case MONTH -> day.withDayOfMonth(1);
      case YEAR -> day.with(TemporalAdjusters.firstDayOfYear());
      default -> day;
    };
  }

  private LocalDate next(LocalDate first) {
    return switch (this) {
      case WEEK -> first.plusWeeks(1);
      case MONTH -> first.plusMonths(1);
      case YEAR -> first.plusYears(1);
      default -> first.plusDays(1);
    };
  }

  private static long startOf(LocalDate day, ZoneId zone) {
    return day.atStartOfDay(zone).toEpochSecond() * 1_000_000L;
  }
}
