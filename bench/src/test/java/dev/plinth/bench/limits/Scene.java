package dev.plinth.bench.limits;

/** What rows are compared within. */
record Scene(Keys keys, Limit limit, int processes, int threads) {
  String text() {
    return keys + (limit.equals(Limit.TIGHT) ? ", tight limit" : "");
  }

  @Override
  public String toString() {
    return "%s, %d x %d".formatted(text(), processes, threads);
  }
}
