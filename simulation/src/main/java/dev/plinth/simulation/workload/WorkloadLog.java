package dev.plinth.simulation.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What all clients saw together: counts, and what no client should ever see. */
final class WorkloadLog {
  private final Map<String, Long> counts = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();
  private int open;
  private boolean over;

  void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  long counted(String what) {
    return counts.getOrDefault(what, 0L);
  }

  Map<String, Long> counts() {
    return counts;
  }

  void violation(String what) {
    violations.add(what);
  }

  List<String> violations() {
    return violations;
  }

  void opened() {
    open++;
  }

  void closed() {
    open--;
  }

  /** Calls that are not answered yet. */
  int open() {
    return open;
  }

  /** No client begins anything new. */
  void end() {
    over = true;
  }

  boolean isOver() {
    return over;
  }
}
