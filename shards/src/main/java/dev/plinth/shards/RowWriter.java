package dev.plinth.shards;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/**
 * Writes a row as text that an operator can read: words split by spaces, the format's version
 * first, times in milliseconds, {@code -} for nothing. {@link RowReader} reads it.
 */
public final class RowWriter {
  static final String VERSION = "v1";
  static final String NONE = "-";

  private final StringBuilder text;

  private RowWriter(String first) {
    text = new StringBuilder(first);
  }

  /** A whole row. */
  public static RowWriter row() {
    return new RowWriter(VERSION);
  }

  /** A line without a version: one of many in a row. */
  public static RowWriter line(long first) {
    return new RowWriter(Long.toString(first));
  }

  public RowWriter number(long value) {
    text.append(' ').append(value);
    return this;
  }

  public RowWriter millis(Duration value) {
    return number(value.toMillis());
  }

  /** A word of the format's own, or a name that needs no escapes. */
  public RowWriter word(Object value) {
    text.append(' ').append(value);
    return this;
  }

  /** A text of a caller's choice. */
  public RowWriter text(String value) {
    return word(escaped(value));
  }

  public RowWriter bytes(byte[] value) {
    return word(value.length == 0 ? NONE : Base64.getEncoder().encodeToString(value));
  }

  /** One word if it holds, else nothing. */
  public RowWriter flag(boolean holds, String word) {
    return word(holds ? word : NONE);
  }

  /** Begins a further line with a word that says what it is. */
  public RowWriter nextLine(String kind) {
    text.append('\n').append(kind);
    return this;
  }

  public byte[] bytes() {
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String escaped(String value) {
    if (value.isEmpty()) {
      return NONE;
    }
    if (isPlain(value)) {
      return value;
    }
    return value.equals(NONE) ? "%2D" : URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  /** Whether it stands for itself, escaped or not. */
  static boolean isPlain(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      boolean plain = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z';
      if (!plain && !(c == '-' && value.length() > 1) && c != '.' && c != '_') {
        return false;
      }
    }
    return true;
  }
}
