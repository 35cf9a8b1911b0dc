package dev.plinth.ratelimit.policy;

import dev.plinth.ratelimit.policy.Limit.Bucket;
import dev.plinth.ratelimit.policy.Limit.CalendarWindow;
import dev.plinth.ratelimit.policy.Limit.Concurrency;
import dev.plinth.ratelimit.policy.Limit.FixedWindow;
import dev.plinth.ratelimit.policy.Limit.Paced;
import dev.plinth.ratelimit.policy.Limit.SlidingCounter;
import dev.plinth.ratelimit.policy.Limit.SlidingLog;
import dev.plinth.ratelimit.policy.Limit.Unlimited;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The algorithms of limits, and how rows name them. */
public enum LimitKind {
  TOKEN_BUCKET("b", "bucket", Bucket.class, w -> new Bucket(min(1, w), min(1, w), min(1, w))),
  PACED("p", "paced", Paced.class, w -> new Paced(min(1, w), min(1, w))),
  FIXED_WINDOW("f", "fixed", FixedWindow.class, w -> new FixedWindow(min(0, w), min(1, w))),
  CALENDAR_WINDOW(
      "c", "calendar", CalendarWindow.class, w -> new CalendarWindow(min(0, w), unit(w), zone(w))),
  SLIDING_COUNTER(
      "s", "counter", SlidingCounter.class, w -> new SlidingCounter(min(1, w), min(1, w))),
  SLIDING_LOG("l", "log", SlidingLog.class, w -> new SlidingLog(min(1, w), min(1, w))),
  CONCURRENCY("", "concurrency", Concurrency.class, w -> new Concurrency(min(1, w))),
  UNLIMITED("", "unlimited", Unlimited.class, w -> new Unlimited());

  private static final Map<Class<?>, LimitKind> BY_TYPE =
      Arrays.stream(values()).collect(Collectors.toMap(kind -> kind.type, Function.identity()));

  private final String letter;
  private final String word;
  private final Class<? extends Limit> type;
  private final Function<RowTextReader, Limit> reader;

  LimitKind(
      String letter,
      String word,
      Class<? extends Limit> type,
      Function<RowTextReader, Limit> reader) {
    this.letter = letter;
    this.word = word;
    this.type = type;
    this.reader = reader;
  }

  static LimitKind of(Limit limit) {
    return BY_TYPE.get(limit.getClass());
  }

  /** As rows of policies name it. */
  static LimitKind ofWord(String word) {
    return Arrays.stream(values())
        .filter(kind -> kind.word.equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("a limit of kind " + word));
  }

  /** As rows of budgets name it. */
  public static LimitKind ofLetter(String letter) {
    return Arrays.stream(values())
        .filter(kind -> !letter.isEmpty() && kind.letter.equals(letter))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException(letter + " (expected: b, p, f, c, s or l)"));
  }

  String word() {
    return word;
  }

  /** In rows of budgets and for the script. */
  public String letter() {
    if (letter.isEmpty()) {
      throw new IllegalArgumentException(this + " (expected: a limit that checks are charged to)");
    }
    return letter;
  }

  /** Reads what {@link Limit#text} wrote. */
  public Limit parse(RowTextReader words) {
    return reader.apply(words);
  }

  /** At least 1 is what is divided by sooner or later. */
  private static long min(long min, RowTextReader words) {
    long number = words.number();
    if (number < min) {
      throw new IllegalArgumentException(number + " (expected: " + min + " or more)");
    }
    return number;
  }

  private static CalendarUnit unit(RowTextReader words) {
    return CalendarUnit.valueOf(words.word());
  }

  private static ZoneId zone(RowTextReader words) {
    try {
      return ZoneId.of(words.word());
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
