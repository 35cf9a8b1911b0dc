package dev.plinth.ratelimit.policy;

import dev.plinth.ratelimit.policy.Limit.Bucket;
import dev.plinth.ratelimit.policy.Limit.Calendar;
import dev.plinth.ratelimit.policy.Limit.CalendarWindow;
import dev.plinth.ratelimit.policy.Limit.Concurrency;
import dev.plinth.ratelimit.policy.Limit.FixedWindow;
import dev.plinth.ratelimit.policy.Limit.Paced;
import dev.plinth.ratelimit.policy.Limit.SlidingCounter;
import dev.plinth.ratelimit.policy.Limit.SlidingLog;
import dev.plinth.ratelimit.policy.Limit.Unlimited;
import java.time.ZoneId;

/** A limit as words of a row: its kind, then its numbers as the record has them. */
final class PolicyLimitText {
  private static final String UNLIMITED = "unlimited";

  private PolicyLimitText() {}

  static String of(Limit limit) {
    if (limit instanceof Bucket bucket) {
      return "bucket " + bucket.burst() + " " + bucket.num() + " " + bucket.den();
    } else if (limit instanceof Paced paced) {
      return "paced " + paced.num() + " " + paced.den();
    } else if (limit instanceof FixedWindow window) {
      return "fixed " + window.limit() + " " + window.period();
    } else if (limit instanceof CalendarWindow window) {
      return "calendar " + window.limit() + " " + window.unit() + " " + window.zone();
    } else if (limit instanceof SlidingCounter counter) {
      return "counter " + counter.limit() + " " + counter.period();
    } else if (limit instanceof SlidingLog log) {
      return "log " + log.limit() + " " + log.period();
    }
    return limit instanceof Concurrency slots ? "concurrency " + slots.limit() : UNLIMITED;
  }

  /**
   * @param w the words, from the second on
   */
  static Limit limit(String[] w) {
    return switch (w[1]) {
      case "bucket" -> new Bucket(number(w[2]), number(w[3]), number(w[4]));
      case "paced" -> new Paced(number(w[2]), number(w[3]));
      case "fixed" -> new FixedWindow(number(w[2]), number(w[3]));
      case "calendar" -> new CalendarWindow(number(w[2]), Calendar.valueOf(w[3]), ZoneId.of(w[4]));
      case "counter" -> new SlidingCounter(number(w[2]), number(w[3]));
      case "log" -> new SlidingLog(number(w[2]), number(w[3]));
      case "concurrency" -> new Concurrency(number(w[2]));
      case UNLIMITED -> new Unlimited();
      default -> throw new IllegalStateException("a limit of kind " + w[1]);
    };
  }

  private static long number(String word) {
    return Long.parseLong(word);
  }
}
