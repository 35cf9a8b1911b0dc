package dev.plinth.bench.limits;

import java.util.Locale;

/** What rows are compared within. */
record Scene(Keys keys, Limit limit, int processes, int threads) {
  /** What {@code -Prows} chooses it by. */
  String row() {
    String name = limit.equals(Limit.TIGHT) ? "tight" : keys.name().toLowerCase(Locale.ROOT);
    return "%s-%dx%d".formatted(name, processes, threads);
  }

  String text() {
    return keys + (limit.equals(Limit.TIGHT) ? ", tight limit" : "");
  }

  @Override
  public String toString() {
    return "%s, %d x %d".formatted(text(), processes, threads);
  }
}
