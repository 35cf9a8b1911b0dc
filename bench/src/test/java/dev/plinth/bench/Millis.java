package dev.plinth.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Times, each of which counts. */
public final class Millis {
  private final List<Double> values = new ArrayList<>();

  public void add(double millis) {
    values.add(millis);
  }

  /** The least that so many percent do not exceed; 0 if there are none. */
  public double percentile(double percent) {
    Collections.sort(values);
    int rank = (int) Math.ceil(values.size() * percent / 100);
    return values.isEmpty() ? 0 : values.get(Math.max(1, rank) - 1);
  }

  public double max() {
    return percentile(100);
  }

  public void clear() {
    values.clear();
  }
}
