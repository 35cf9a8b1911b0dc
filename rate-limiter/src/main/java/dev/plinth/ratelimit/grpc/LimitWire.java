package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Limit.Bucket;
import dev.plinth.ratelimit.policy.Limit.CalendarWindow;
import dev.plinth.ratelimit.policy.Limit.Concurrency;
import dev.plinth.ratelimit.policy.Limit.FixedWindow;
import dev.plinth.ratelimit.policy.Limit.Paced;
import dev.plinth.ratelimit.policy.Limit.SlidingCounter;
import dev.plinth.ratelimit.policy.Limit.SlidingLog;
import dev.plinth.ratelimit.policy.Limit.Unlimited;
import dev.plinth.ratelimit.policy.Rule.Rate;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Calendar;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;

/**
 * How a rule counts, checked. A limit whose arithmetic would need numbers past 2^53 is refused with
 * the nearest thing that would do.
 */
record LimitWire(Limit limit, Optional<Rate> rate) {
  static final long MAX = 1_000_000_000;
  private static final String OR_COUNTER =
      ", as every charge is remembered; ALGORITHM_SLIDING_COUNTER takes larger ones";
  private static final Duration MIN_PERIOD = Duration.ofMillis(1);
  private static final Duration MAX_PERIOD = Duration.ofDays(366);
  private static final int MAX_ZONE = 64;
  // Periods are whole milliseconds, so that a limit which is a multiple of this is a small
  // fraction.
  private static final long ROUND = 1000;

  static LimitWire of(String path, Rule wire) {
    boolean known =
        wire.getAlgorithm() != Algorithm.UNRECOGNIZED
            && wire.getAlgorithm() != Algorithm.ALGORITHM_UNSPECIFIED;
    if (!known) {
      throw Failure.Invalid.field(
          path + "algorithm", wire.getAlgorithmValue(), "one of the algorithms");
    }
    if (wire.getAlgorithm() != Algorithm.ALGORITHM_CALENDAR_WINDOW) {
      none(
          path + "calendar", wire.getCalendarValue() == 0, wire.getCalendar(), "a calendar window");
      none(path + "zone", wire.getZone().isEmpty(), wire.getZone(), "a calendar window");
    }
    if (wire.getAlgorithm() != Algorithm.ALGORITHM_TOKEN_BUCKET) {
      none(path + "burst", wire.getBurst() == 0, wire.getBurst(), "a token bucket");
    }
    return switch (wire.getAlgorithm()) {
      case ALGORITHM_TOKEN_BUCKET -> bucket(path, wire);
      case ALGORITHM_PACED -> paced(path, wire);
      case ALGORITHM_FIXED_WINDOW -> {
        Rate rate = new Rate(windowLimit(path, wire), period(path, wire));
        yield new LimitWire(new FixedWindow(rate.limit(), micros(rate)), Optional.of(rate));
      }
      case ALGORITHM_SLIDING_COUNTER -> {
        Rate rate = rate(path, wire, MAX);
        long most = (Limit.EXACT - 1) / micros(rate);
        Limit counter = new SlidingCounter(rate.limit(), micros(rate));
        exact(counter, path + "limit", rate.limit(), "at most " + most + " with this period");
        yield new LimitWire(counter, Optional.of(rate));
      }
      case ALGORITHM_SLIDING_LOG -> {
        Rate rate = rate(path, wire, MAX);
        Limit log = new SlidingLog(rate.limit(), micros(rate));
        exact(log, path + "limit", rate.limit(), "1.." + SlidingLog.MAX + OR_COUNTER);
        yield new LimitWire(log, Optional.of(rate));
      }
      case ALGORITHM_CALENDAR_WINDOW -> calendar(path, wire);
      case ALGORITHM_CONCURRENCY -> {
        none(path + "period", !wire.hasPeriod(), "given", "a limit in time");
        yield new LimitWire(new Concurrency(limit(path, wire, Concurrency.MAX)), Optional.empty());
      }
      case ALGORITHM_UNLIMITED -> {
        none(path + "limit", wire.getLimit() == 0, wire.getLimit(), "a limit");
        none(path + "period", !wire.hasPeriod(), "given", "a limit in time");
        yield new LimitWire(new Unlimited(), Optional.empty());
      }
      default -> throw new AssertionError(wire.getAlgorithm());
    };
  }

  private static void none(String field, boolean fine, Object value, String of) {
    if (!fine) {
      throw Failure.Invalid.field(field, value, "absent: it is part of " + of);
    }
  }

  private static long limit(String path, Rule wire, long most) {
    return FieldChecks.between(path + "limit", wire.getLimit(), 1, most);
  }

  private static Rate rate(String path, Rule wire, long most) {
    return new Rate(limit(path, wire, most), period(path, wire));
  }

  private static long windowLimit(String path, Rule wire) {
    return FieldChecks.between(path + "limit", wire.getLimit(), 0, Limit.MAX_IN_WINDOW);
  }

  private static Duration period(String path, Rule wire) {
    if (!wire.hasPeriod()) {
      throw Failure.Invalid.field(path + "period", "none", "1ms..366 days");
    }
    return FieldChecks.duration(path + "period", wire.getPeriod(), null, MIN_PERIOD, MAX_PERIOD);
  }

  private static long micros(Rate rate) {
    return rate.period().toNanos() / 1000;
  }

  private static LimitWire bucket(String path, Rule wire) {
    Rate rate = rate(path, wire, MAX);
    long given = FieldChecks.between(path + "burst", wire.getBurst(), 0, MAX);
    long burst = given == 0 ? rate.limit() : given;
    long common = common(rate);
    Bucket bucket = new Bucket(burst, micros(rate) / common, rate.limit() / common);
    // With one unit of burst, what is left to be too large is the fraction.
    exact(new Bucket(1, bucket.num(), bucket.den()), path + "limit", rate.limit(), round(rate));
    long most = (Limit.DEBT - Limit.HOUR * bucket.den() - 1) / bucket.num();
    exact(bucket, path + "burst", burst, "at most " + most + " with this limit and period");
    return new LimitWire(bucket, Optional.of(rate));
  }

  private static LimitWire paced(String path, Rule wire) {
    Rate rate = rate(path, wire, MAX);
    long common = common(rate);
    Paced paced = new Paced(micros(rate) / common, rate.limit() / common);
    exact(paced, path + "limit", rate.limit(), round(rate));
    return new LimitWire(paced, Optional.of(rate));
  }

  private static String round(Rate rate) {
    long down = rate.limit() / ROUND * ROUND;
    return down + " or " + (down + ROUND) + ", a multiple of " + ROUND;
  }

  private static long common(Rate rate) {
    return BigInteger.valueOf(micros(rate)).gcd(BigInteger.valueOf(rate.limit())).longValueExact();
  }

  private static void exact(Limit limit, String field, Object value, String expected) {
    if (!limit.isExact()) {
      throw Failure.Invalid.field(field, value, expected);
    }
  }

  private static LimitWire calendar(String path, Rule wire) {
    none(path + "period", !wire.hasPeriod(), "given", "windows of equal length");
    CalendarUnit unit =
        switch (wire.getCalendar()) {
          case CALENDAR_HOUR -> CalendarUnit.HOUR;
          case CALENDAR_DAY -> CalendarUnit.DAY;
          case CALENDAR_WEEK -> CalendarUnit.WEEK;
          case CALENDAR_MONTH -> CalendarUnit.MONTH;
          case CALENDAR_YEAR -> CalendarUnit.YEAR;
          default ->
              throw Failure.Invalid.field(
                  path + "calendar", wire.getCalendarValue(), "HOUR, DAY, WEEK, MONTH or YEAR");
        };
    return new LimitWire(
        new CalendarWindow(windowLimit(path, wire), unit, zone(path + "zone", wire.getZone())),
        Optional.empty());
  }

  private static ZoneId zone(String field, String zone) {
    if (zone.isEmpty()) {
      return ZoneId.of("UTC");
    }
    try {
      return ZoneId.of(FieldChecks.name(field, zone, MAX_ZONE));
    } catch (DateTimeException e) {
      throw Failure.Invalid.field(field, FieldChecks.quoted(zone), "a zone such as Europe/Berlin");
    }
  }

  /** The same fields of a rule that was put. */
  static void fill(dev.plinth.ratelimit.policy.Rule rule, Rule.Builder wire) {
    Limit limit = rule.limit();
    wire.setAlgorithm(algorithm(limit));
    wire.setLimit(limit instanceof Unlimited ? 0 : limit.size());
    rule.rate()
        .ifPresent(
            rate -> wire.setLimit(rate.limit()).setPeriod(RateLimitWire.duration(rate.period())));
    if (limit instanceof Bucket bucket) {
      wire.setBurst(bucket.burst());
    } else if (limit instanceof CalendarWindow window) {
      wire.setCalendar(Calendar.valueOf("CALENDAR_" + window.unit()))
          .setZone(window.zone().getId());
    }
  }

  static Algorithm algorithm(Limit limit) {
    return Algorithm.valueOf("ALGORITHM_" + limit.kind());
  }
}
