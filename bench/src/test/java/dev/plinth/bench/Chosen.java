package dev.plinth.bench;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The rows and numbers of callers that {@code -Prows} and {@code -Pcallers} choose; all if unset.
 */
public final class Chosen {
  private static final List<String> ROWS = list("plinth.bench.rows");
  private static final List<String> CALLERS = list("plinth.bench.callers");

  private Chosen() {}

  private static List<String> list(String property) {
    return Arrays.stream(System.getProperty(property, "").split(","))
        .map(String::strip)
        .filter(text -> !text.isEmpty())
        .toList();
  }

  /** A row is chosen by its name, or by a beginning of it that ends before a hyphen. */
  public static boolean row(String name) {
    return ROWS.isEmpty()
        || ROWS.stream().anyMatch(row -> name.equals(row) || name.startsWith(row + "-"));
  }

  /** Fails at a row that no bench has, so that a typing error does not pass for an empty run. */
  public static void checkRows(List<String> known) {
    for (String row : ROWS) {
      if (known.stream().noneMatch(name -> name.equals(row) || name.startsWith(row + "-"))) {
        throw new IllegalArgumentException("rows: " + row + " (expected: some of " + known + ")");
      }
    }
  }

  public static int[] callers(int... all) {
    return IntStream.of(all)
        .filter(callers -> CALLERS.isEmpty() || CALLERS.contains(String.valueOf(callers)))
        .toArray();
  }

  /** Whether nothing was left out. */
  public static boolean all() {
    return ROWS.isEmpty() && CALLERS.isEmpty();
  }
}
