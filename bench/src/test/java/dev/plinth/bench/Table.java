package dev.plinth.bench;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Rows of one run; each is printed as it comes. */
public final class Table {
  private final StringBuilder text = new StringBuilder();

  public Table(Object... columns) {
    row(columns);
    row(Arrays.stream(columns).map(column -> "---").toArray());
  }

  public void row(Object... cells) {
    String row =
        Arrays.stream(cells).map(String::valueOf).collect(Collectors.joining(" | ", "| ", " |"));
    System.out.println(row);
    text.append(row).append('\n');
  }

  public static String count(double value) {
    return "%,.0f".formatted(value);
  }

  public static String millis(double value) {
    return value < 0.1 ? "%.4f".formatted(value) : "%.2f".formatted(value);
  }

  public static String times(double ratio) {
    return "%.2f x".formatted(ratio);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
