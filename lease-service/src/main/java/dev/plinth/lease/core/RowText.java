package dev.plinth.lease.core;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/**
 * Rows are text that an operator can read: words split by spaces, the format's version first, times
 * in milliseconds, {@code -} for nothing.
 */
final class RowText {
  static final String VERSION = "v1";
  static final String NONE = "-";

  private RowText() {}

  static String encode(String value) {
    if (value.isEmpty()) {
      return NONE;
    }
    if (isPlain(value)) {
      return value;
    }
    return value.equals(NONE) ? "%2D" : URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private static boolean isPlain(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      boolean plain = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z';
      if (!plain && !(c == '-' && value.length() > 1) && c != '.' && c != '_') {
        return false;
      }
    }
    return true;
  }

  static String decode(String word) {
    if (word.equals(NONE)) {
      return "";
    }
    return isPlain(word) ? word : URLDecoder.decode(word, StandardCharsets.UTF_8);
  }

  static String millis(Duration duration) {
    return String.valueOf(duration.toMillis());
  }

  /** As callers write durations: {@code 5s}, {@code 0.100s}. */
  static String seconds(Duration duration) {
    long millis = duration.toMillis();
    String rest = millis % 1000 == 0 ? "" : "." + String.valueOf(1000 + millis % 1000).substring(1);
    return millis / 1000 + rest + "s";
  }

  static Duration duration(String millis) {
    return Duration.ofMillis(Long.parseLong(millis));
  }

  static String encodeBytes(byte[] bytes) {
    return bytes.length == 0 ? NONE : Base64.getEncoder().encodeToString(bytes);
  }

  static byte[] decodeBytes(String word) {
    return word.equals(NONE) ? new byte[0] : Base64.getDecoder().decode(word);
  }

  static byte[] bytes(String row) {
    return row.getBytes(StandardCharsets.UTF_8);
  }

  /** The lines of a row, the first of which begins with a version that we know. */
  static String[] lines(String rowKey, byte[] value) {
    String[] lines = new String(value, StandardCharsets.UTF_8).split("\n");
    String version = lines[0].split(" ")[0];
    if (!version.equals(VERSION)) {
      throw new IllegalStateException(
          rowKey + " has format " + version + " (expected: " + VERSION + ")");
    }
    return lines;
  }

  /** What the path of a row, after its prefix, names: a namespace and something in it. */
  static LeaseName name(String rowKey, String prefix) {
    String path = rowKey.substring(prefix.length());
    int slash = path.indexOf('/');
    return new LeaseName(path.substring(0, slash), path.substring(slash + 1));
  }
}
