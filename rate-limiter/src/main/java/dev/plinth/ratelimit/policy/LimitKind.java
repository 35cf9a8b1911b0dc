package dev.plinth.ratelimit.policy;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The algorithms of limits, and how rows name them. */
public enum LimitKind {
  TOKEN_BUCKET(
      "b",
      "bucket",
      Limit.Bucket.class,
      words -> new Limit.Bucket(positive(words), positive(words), positive(words))),
  PACED(
      "p", "paced", Limit.Paced.class, words -> new Limit.Paced(positive(words), positive(words))),
  FIXED_WINDOW(
      "f",
      "fixed",
      Limit.FixedWindow.class,
      words -> new Limit.FixedWindow(atLeast(0, words), positive(words))),
  CALENDAR_WINDOW(
      "c",
      "calendar",
      Limit.CalendarWindow.class,
      words -> new Limit.CalendarWindow(atLeast(0, words), unit(words), zone(words))),
  SLIDING_COUNTER(
      "s",
      "counter",
      Limit.SlidingCounter.class,
      words -> new Limit.SlidingCounter(positive(words), positive(words))),
  SLIDING_LOG(
      "l",
      "log",
      Limit.SlidingLog.class,
      words -> new Limit.SlidingLog(positive(words), positive(words))),
  CONCURRENCY(
      "", "concurrency", Limit.Concurrency.class, words -> new Limit.Concurrency(positive(words))),
  UNLIMITED("", "unlimited", Limit.Unlimited.class, words -> new Limit.Unlimited());

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

  /** What is divided by sooner or later. */
  private static long positive(RowTextReader words) {
    return atLeast(1, words);
  }

  private static long atLeast(long min, RowTextReader words) {
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
