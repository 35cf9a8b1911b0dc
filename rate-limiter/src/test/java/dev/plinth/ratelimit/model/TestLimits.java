package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import java.math.BigInteger;
import java.time.ZoneId;
import java.util.List;
import java.util.Random;

/** Limits for tests: ordinary ones, odd ones, and those at the ends of what is allowed. */
public final class TestLimits {
  private static final List<Long> PERIODS =
      List.of(1_000L, 7_777L, 1_000_000L, 60_000_000L, Limit.HOUR, 30 * 24 * Limit.HOUR);
  private static final List<String> ZONES =
      List.of("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");

  private TestLimits() {}

  /** A bucket that refills so many in a period. */
  public static Limit.Bucket bucket(long burst, long limit, long period) {
    long gcd = BigInteger.valueOf(limit).gcd(BigInteger.valueOf(period)).longValueExact();
    return new Limit.Bucket(burst, period / gcd, limit / gcd);
  }

  public static Limit.Paced paced(long limit, long period) {
    Limit.Bucket rate = bucket(1, limit, period);
    return new Limit.Paced(rate.num(), rate.den());
  }

  static Limit any(Random random) {
    Limit limit = maybe(random);
    while (!limit.isExact()) {
      limit = maybe(random);
    }
    return limit;
  }

  private static Limit maybe(Random random) {
    long period = PERIODS.get(random.nextInt(PERIODS.size()));
    long many = size(random);
    return switch (random.nextInt(9)) {
      case 0 -> bucket(1 + random.nextInt(1_000_000), 1_000_000, 1_000_000); // 1e6 a second
      case 1 -> bucket(1 + random.nextInt(3), 1, 30 * 24 * Limit.HOUR); // one a month
      case 2, 3 -> bucket(size(random), many, period);
      case 4 -> paced(many, period);
      case 5 -> new Limit.FixedWindow(window(random), period);
      case 6 -> calendar(window(random), random);
      case 7 -> new Limit.SlidingCounter(many, period);
      default -> new Limit.SlidingLog(1 + random.nextInt(10), period);
    };
  }

  private static long size(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> 1 + random.nextInt(3);
      case 1 -> 1 + random.nextInt(1_000_000);
      case 2 -> 1_000_000_000;
      default -> 1 + random.nextInt(20);
    };
  }

  private static long window(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> Limit.MAX_IN_WINDOW;
      default -> size(random);
    };
  }

  private static Limit calendar(long many, Random random) {
    CalendarUnit unit = CalendarUnit.values()[random.nextInt(5)];
    ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
    return new Limit.CalendarWindow(many, unit, zone);
  }

  /** The same algorithm with other numbers. */
  static Limit resized(Limit limit, Random random) {
    Limit next = any(random);
    while (next.getClass() != limit.getClass()) {
      next = any(random);
    }
    if (limit instanceof Limit.CalendarWindow calendar && random.nextBoolean()) {
      return new Limit.CalendarWindow(next.size(), calendar.unit(), calendar.zone());
    }
    return next;
  }

  /** Roughly how long it takes a limit to recover. */
  static long span(Limit limit) {
    if (limit instanceof Limit.Bucket bucket) {
      return bucket.burst() * bucket.num() / bucket.den() + 1;
    } else if (limit instanceof Limit.Paced paced) {
      return paced.num() / paced.den() + 1;
    } else if (limit instanceof Limit.FixedWindow fixed) {
      return fixed.period();
    } else if (limit instanceof Limit.SlidingCounter counter) {
      return counter.period();
    } else if (limit instanceof Limit.SlidingLog log) {
      return log.period();
    }
    return 24 * Limit.HOUR;
  }
}
