package dev.plinth.server.call;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import dev.plinth.server.failure.Failure;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Checks of request fields; each refuses with the field's name, its value and what was expected.
 */
public final class FieldChecks {
  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
  private static final Pattern DOMAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}");
  // Also what only changes how its neighbours are shown, such as U+202E, which turns text around.
  private static final Pattern UNPRINTABLE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");
  private static final char DELETE = 0x7f;
  private static final int MAX_REQUEST_ID = 64;
  private static final int MAX_PAGE = 1000;
  private static final int DEFAULT_PAGE = 50;

  private FieldChecks() {}

  /** Empty stands for {@code default}. */
  public static String namespace(String value) {
    return namespace("namespace", value);
  }

  /** A namespace that goes by another name. */
  public static String namespace(String field, String value) {
    if (value.isEmpty()) {
      return "default";
    }
    if (!NAMESPACE.matcher(value).matches()) {
      throw Failure.Invalid.field(
          field, quoted(value), "1..63 of a-z, 0-9 and -, not starting with -");
    }
    return value;
  }

  /** A namespace by a name that another system has given, such as {@code mongo_cps}. */
  public static String domain(String field, String value) {
    if (value.isEmpty()) {
      return "default";
    }
    if (!DOMAIN.matcher(value).matches()) {
      throw Failure.Invalid.field(
          field,
          quoted(value),
          "1..128 of A-Z, a-z, 0-9, - _ . : and /, starting with a letter or digit");
    }
    return value;
  }

  /**
   * A name of the caller's choice: not empty, not too long, nothing that would break a log line or
   * make it read as something else.
   */
  public static String name(String field, String value, int maxChars) {
    if (!isName(value, maxChars)) {
      throw Failure.Invalid.field(
          field,
          quoted(value),
          "1.." + maxChars + " characters without control or format characters");
    }
    return value;
  }

  /** What {@link #name} asks, for who has no field's name at hand and would have to make one. */
  public static boolean isName(String value, int maxChars) {
    if (value.isEmpty() || value.length() > maxChars) {
      return false;
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c >= DELETE) {
        return !UNPRINTABLE.matcher(value).find(); // not ASCII alone: the slow way
      }
      if (c < ' ') {
        return false;
      }
    }
    return true;
  }

  public static String optionalName(String field, String value, int maxChars) {
    return value.isEmpty() ? value : name(field, value, maxChars);
  }

  public static String requestId(String value) {
    return optionalName("request_id", value, MAX_REQUEST_ID);
  }

  public static int between(String field, int value, int least, int most) {
    if (value < least || value > most) {
      throw Failure.Invalid.field(field, value, least + ".." + most);
    }
    return value;
  }

  public static long between(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw Failure.Invalid.field(field, value, least + ".." + most);
    }
    return value;
  }

  /** The size of a page; 0 stands for the default. */
  public static int pageSize(int value) {
    int size = between("page_size", value, 0, MAX_PAGE);
    return size == 0 ? DEFAULT_PAGE : size;
  }

  /** The version that a change expects; empty if it expects none in particular. */
  public static Optional<Long> expectedVersion(boolean given, long value) {
    return given
        ? Optional.of(between("expected_version", value, 0, Long.MAX_VALUE))
        : Optional.empty();
  }

  public static Optional<Instant> instant(String field, boolean given, Timestamp value) {
    if (given && !Timestamps.isValid(value)) {
      throw Failure.Invalid.field(field, "not a timestamp", "a time as in RFC 3339");
    }
    return given
        ? Optional.of(Instant.ofEpochSecond(value.getSeconds(), value.getNanos()))
        : Optional.empty();
  }

  /** A duration in whole milliseconds within bounds; null stands for the default. */
  public static java.time.Duration duration(
      String field,
      Duration value,
      java.time.Duration byDefault,
      java.time.Duration least,
      java.time.Duration most) {
    if (value == null) {
      return byDefault;
    }
    String expected = text(least) + ".." + text(most);
    if (!Durations.isValid(value)) {
      throw Failure.Invalid.field(field, "not a duration", expected);
    }
    java.time.Duration asked = java.time.Duration.ofSeconds(value.getSeconds(), value.getNanos());
    if (asked.compareTo(least) < 0 || asked.compareTo(most) > 0) {
      throw Failure.Invalid.field(field, Durations.toString(value), expected);
    }
    return java.time.Duration.ofMillis(asked.toMillis());
  }

  /** A duration within bounds that a request may leave to somebody else. */
  public static Optional<java.time.Duration> optionalDuration(
      String field,
      boolean given,
      Duration value,
      java.time.Duration least,
      java.time.Duration most) {
    return given ? Optional.of(duration(field, value, least, least, most)) : Optional.empty();
  }

  /** A duration as a message, to the nanosecond. */
  public static Duration wire(java.time.Duration duration) {
    return Durations.fromNanos(duration.toNanos());
  }

  /** A time as a message. */
  public static Timestamp wire(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }

  /** A duration as it was sent, for an answer that refuses it; it may be none at all. */
  public static String text(Duration value) {
    return Durations.isValid(value) ? Durations.toString(value) : "not a duration";
  }

  /** As protobuf writes durations in JSON, which is what a caller types. */
  public static String text(java.time.Duration duration) {
    return Durations.toString(Durations.fromMillis(duration.toMillis()));
  }

  /** A value as it is shown in an answer that refuses it: cut, and fit for one line of a log. */
  public static String quoted(String value) {
    String shown = value.length() > 80 ? value.substring(0, 80) + "..." : value;
    return '"' + UNPRINTABLE.matcher(shown).replaceAll("?") + '"';
  }
}
