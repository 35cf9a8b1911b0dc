package dev.plinth.ratelimit.core;

/**
 * A state as text: {@code v1 <kind> <version> <last> <lent> <numbers of the limit> <numbers of the
 * level>}, the same in every store.
 */
final class StateText {
  private StateText() {}

  static String of(State state) {
    Level level = state.level();
    Lent lent = state.lent();
    StringBuilder text = new StringBuilder(80).append("v1 ").append(LimitText.kind(level.limit()));
    Lines.numbers(text, state.version(), state.last(), lent.index(), lent.now(), lent.before());
    LimitText.appendNumbers(text, level.limit());
    appendLevel(text, level);
    return text.toString();
  }

  private static void appendLevel(StringBuilder text, Level level) {
    if (level instanceof BucketLevel bucket) {
      Lines.numbers(text, bucket.tat(), bucket.rest());
    } else if (level instanceof PacedLevel paced) {
      Lines.numbers(text, paced.tat(), paced.rest());
    } else if (level instanceof WindowLevel window) {
      if (window.limit() instanceof Limit.FixedWindow fixed) {
        Lines.numbers(text, window.start() / fixed.period(), window.used());
      } else {
        Lines.numbers(text, window.start(), window.end(), window.used());
      }
    } else if (level instanceof CounterLevel counter) {
      Lines.numbers(text, counter.index(), counter.used(), counter.before());
    } else if (level instanceof LogLevel log) {
      Lines.numbers(text, log.entries());
    }
  }

  static State parse(String text) {
    Lines words = Lines.versioned(text);
    String kind = words.word();
    long version = words.number();
    long last = words.number();
    Lent lent = new Lent(words.number(), words.number(), words.number());
    Level level = level(LimitText.parseNumbers(kind, words), words);
    words.end();
    return new State(version, last, lent, level);
  }

  private static Level level(Limit limit, Lines words) {
    if (limit instanceof Limit.Bucket bucket) {
      return new BucketLevel(bucket, words.number(), words.number());
    } else if (limit instanceof Limit.Paced paced) {
      return new PacedLevel(paced, words.number(), words.number());
    } else if (limit instanceof Limit.FixedWindow fixed) {
      long start = words.number() * fixed.period();
      return new WindowLevel(fixed, start, start + fixed.period(), words.number());
    } else if (limit instanceof Limit.CalendarWindow window) {
      return new WindowLevel(window, words.number(), words.number(), words.number());
    } else if (limit instanceof Limit.SlidingCounter counter) {
      return new CounterLevel(counter, words.number(), words.number(), words.number());
    }
    if (words.left() % 2 != 0) {
      throw new IllegalArgumentException(
          words.left() + " numbers of entries (expected: time and cost in turn)");
    }
    long[] entries = new long[words.left()];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = words.number();
    }
    return new LogLevel((Limit.SlidingLog) limit, entries);
  }
}
