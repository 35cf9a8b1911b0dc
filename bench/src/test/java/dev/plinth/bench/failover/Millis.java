package dev.plinth.bench.failover;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A few times, each of which counts. */
final class Millis {
  private final List<Double> sorted = new ArrayList<>();

  void add(double millis) {
    sorted.add(millis);
    Collections.sort(sorted);
  }

  /** The least that so many percent do not exceed; 0 if there are none. */
  double percentile(double percent) {
    int rank = (int) Math.ceil(sorted.size() * percent / 100);
    return sorted.isEmpty() ? 0 : sorted.get(Math.max(1, rank) - 1);
  }

  double max() {
    return percentile(100);
  }
}
