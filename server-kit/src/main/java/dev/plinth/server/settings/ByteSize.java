package dev.plinth.server.settings;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A size such as {@code 4MiB}; units are binary. */
public record ByteSize(long bytes) {
  private static final Map<String, Long> UNITS =
      new TreeMap<>(Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30));
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(B|KiB|MiB|GiB)");

  public static ByteSize parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("a size such as 64KiB or 4MiB");
    }
    return new ByteSize(Long.parseLong(parts.group(1)) * UNITS.get(parts.group(2)));
  }

  /** For APIs that count in ints. */
  public int asInt() {
    return Math.toIntExact(bytes);
  }

  @Override
  public String toString() {
    for (String unit : new String[] {"GiB", "MiB", "KiB"}) {
      if (bytes >= UNITS.get(unit) && bytes % UNITS.get(unit) == 0) {
        return bytes / UNITS.get(unit) + unit;
      }
    }
    return bytes + "B";
  }
}
