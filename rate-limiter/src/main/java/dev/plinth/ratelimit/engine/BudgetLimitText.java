package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import java.time.DateTimeException;
import java.time.ZoneId;

/** A limit's kind and numbers, as they stand in rows. */
final class BudgetLimitText {
  private BudgetLimitText() {}

  static String kind(Limit limit) {
    if (limit instanceof Limit.Bucket) {
      return "b";
    } else if (limit instanceof Limit.Paced) {
      return "p";
    } else if (limit instanceof Limit.FixedWindow) {
      return "f";
    } else if (limit instanceof Limit.CalendarWindow) {
      return "c";
    } else if (limit instanceof Limit.SlidingCounter) {
      return "s";
    } else if (limit instanceof Limit.SlidingLog) {
      return "l";
    }
    throw new IllegalArgumentException(limit + " has no text (expected: not concurrency)");
  }

  static void append(StringBuilder text, Limit limit) {
    text.append(kind(limit));
    appendNumbers(text, limit);
  }

  static void appendNumbers(StringBuilder text, Limit limit) {
    if (limit instanceof Limit.Bucket bucket) {
      RowTextReader.numbers(text, bucket.burst(), bucket.num(), bucket.den());
    } else if (limit instanceof Limit.Paced paced) {
      RowTextReader.numbers(text, paced.num(), paced.den());
    } else if (limit instanceof Limit.FixedWindow fixed) {
      RowTextReader.numbers(text, fixed.limit(), fixed.period());
    } else if (limit instanceof Limit.CalendarWindow window) {
      RowTextReader.numbers(text, window.limit())
          .append(' ')
          .append(window.unit())
          .append(' ')
          .append(window.zone());
    } else if (limit instanceof Limit.SlidingCounter counter) {
      RowTextReader.numbers(text, counter.limit(), counter.period());
    } else if (limit instanceof Limit.SlidingLog log) {
      RowTextReader.numbers(text, log.limit(), log.period());
    }
  }

  static Limit parse(RowTextReader words) {
    return parseNumbers(words.word(), words);
  }

  static Limit parseNumbers(String kind, RowTextReader words) {
    return switch (kind) {
      case "b" -> new Limit.Bucket(positive(words), positive(words), positive(words));
      case "p" -> new Limit.Paced(positive(words), positive(words));
      case "f" -> new Limit.FixedWindow(atLeast(0, words), positive(words));
      case "c" -> new Limit.CalendarWindow(atLeast(0, words), unit(words), zone(words));
      case "s" -> new Limit.SlidingCounter(positive(words), positive(words));
      case "l" -> new Limit.SlidingLog(positive(words), positive(words));
      default -> throw new IllegalArgumentException(kind + " (expected: b, p, f, c, s or l)");
    };
  }

  /** What is divided by sooner or later. */
  private static long positive(RowTextReader words) {
    return atLeast(1, words);
  }

  private static long atLeast(long least, RowTextReader words) {
    long number = words.number();
    if (number < least) {
      throw new IllegalArgumentException(number + " (expected: " + least + " or more)");
    }
    return number;
  }

  private static Limit.Calendar unit(RowTextReader words) {
    return Limit.Calendar.valueOf(words.word());
  }

  private static ZoneId zone(RowTextReader words) {
    try {
      return ZoneId.of(words.word());
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
