package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** A window, of a period or a calendar, by its name; and what was used in it. */
final class ModelWindow extends ModelLimitState {
  private static final Map<CalendarUnit, DateTimeFormatter> NAMES =
      Map.of(
          CalendarUnit.HOUR, DateTimeFormatter.ofPattern("uuuu-MM-dd HH XXX"),
          CalendarUnit.DAY, DateTimeFormatter.ofPattern("uuuu-MM-dd"),
          CalendarUnit.WEEK, DateTimeFormatter.ISO_WEEK_DATE,
          CalendarUnit.MONTH, DateTimeFormatter.ofPattern("uuuu-MM"),
          CalendarUnit.YEAR, DateTimeFormatter.ofPattern("uuuu"));

  private final Limit limit;
  private String window;
  private long used;

  ModelWindow(Limit limit, long now) {
    this.limit = limit;
    this.window = name(now);
  }

  private String name(long time) {
    if (limit instanceof Limit.FixedWindow fixed) {
      return String.valueOf(Math.floorDiv(time, fixed.period()));
    }
    Limit.CalendarWindow calendar = (Limit.CalendarWindow) limit;
    ZonedDateTime local = Instant.EPOCH.plus(time, ChronoUnit.MICROS).atZone(calendar.zone());
    String name = NAMES.get(calendar.unit()).format(local);
    return calendar.unit() == CalendarUnit.WEEK ? name.substring(0, 8) : name;
  }

  @Override
  Limit limit() {
    return limit;
  }

  @Override
  long available(long now) {
    return limit.size() - (window.equals(name(now)) ? used : 0);
  }

  @Override
  void charge(long amount, long now) {
    used = Math.min((window.equals(name(now)) ? used : 0) + amount, Limit.DEBT);
    window = name(now);
  }

  /** Only what was charged in this very window, or in one that came after it by a step back. */
  @Override
  void refund(long amount, long charged, long at, long now) {
    if (window.equals(name(now)) && (at >= now || name(at).equals(window))) {
      used = Math.max(0, used - amount);
    }
  }

  @Override
  void afterClockStep(long from, long to) {
    used = window.equals(name(from)) ? used : 0;
    window = name(to);
  }

  @Override
  ModelLimitState copy() {
    ModelWindow copy = new ModelWindow(limit, 0);
    copy.window = window;
    copy.used = used;
    return copy;
  }
}
