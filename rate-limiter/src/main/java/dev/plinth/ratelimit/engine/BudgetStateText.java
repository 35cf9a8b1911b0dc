package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;

/**
 * A state as text: {@code v1 <kind> <version> <last> <leases> <numbers of the limit> <numbers of
 * the level>}, the same in every store.
 */
final class BudgetStateText {
  private BudgetStateText() {}

  static String of(BudgetState state) {
    LimitState level = state.level();
    OutstandingLeases leases = state.leases();
    StringBuilder text =
        new StringBuilder(80).append("v1 ").append(BudgetLimitText.kind(level.limit()));
    RowTextReader.numbers(
        text, state.version(), state.last(), leases.index(), leases.now(), leases.before());
    BudgetLimitText.appendNumbers(text, level.limit());
    appendLevel(text, level);
    return text.toString();
  }

  private static void appendLevel(StringBuilder text, LimitState level) {
    if (level instanceof TokenBucketState bucket) {
      RowTextReader.numbers(text, bucket.tat(), bucket.rest());
    } else if (level instanceof PacedState paced) {
      RowTextReader.numbers(text, paced.tat(), paced.rest());
    } else if (level instanceof WindowState window) {
      if (window.limit() instanceof Limit.FixedWindow fixed) {
        RowTextReader.numbers(text, window.start() / fixed.period(), window.used());
      } else {
        RowTextReader.numbers(text, window.start(), window.end(), window.used());
      }
    } else if (level instanceof SlidingCounterState counter) {
      RowTextReader.numbers(text, counter.index(), counter.used(), counter.before());
    } else if (level instanceof SlidingLogState log) {
      RowTextReader.numbers(text, log.entries());
    }
  }

  static BudgetState parse(String text) {
    RowTextReader words = RowTextReader.versioned(text);
    String kind = words.word();
    long version = words.number();
    long last = words.number();
    OutstandingLeases leases =
        new OutstandingLeases(words.number(), words.number(), words.number());
    LimitState level = level(BudgetLimitText.parseNumbers(kind, words), words);
    words.end();
    return new BudgetState(version, last, leases, level);
  }

  private static LimitState level(Limit limit, RowTextReader words) {
    if (limit instanceof Limit.Bucket bucket) {
      return new TokenBucketState(bucket, words.number(), words.number());
    } else if (limit instanceof Limit.Paced paced) {
      return new PacedState(paced, words.number(), words.number());
    } else if (limit instanceof Limit.FixedWindow fixed) {
      long start = words.number() * fixed.period();
      return new WindowState(fixed, start, start + fixed.period(), words.number());
    } else if (limit instanceof Limit.CalendarWindow window) {
      return new WindowState(window, words.number(), words.number(), words.number());
    } else if (limit instanceof Limit.SlidingCounter counter) {
      return new SlidingCounterState(counter, words.number(), words.number(), words.number());
    }
    if (words.left() % 2 != 0) {
      throw new IllegalArgumentException(
          words.left() + " numbers of entries (expected: time and cost in turn)");
    }
    long[] entries = new long[words.left()];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = words.number();
    }
    return new SlidingLogState((Limit.SlidingLog) limit, entries);
  }
}
