package dev.plinth.simulation.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What all clients saw together: counts, and what no client should ever see. */
public final class WorkloadLog {
  private final Map<String, Long> counts = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();
  private int open;
  private boolean over;

  public void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  public long counted(String what) {
    return counts.getOrDefault(what, 0L);
  }

  public Map<String, Long> counts() {
    return counts;
  }

  public void violation(String what) {
    violations.add(what);
  }

  public List<String> violations() {
    return violations;
  }

  public void opened() {
    open++;
  }

  public void closed() {
    open--;
  }

  /** Calls that are not answered yet. */
  public int open() {
    return open;
  }

  /** No client begins anything new. */
  public void end() {
    over = true;
  }

  public boolean isOver() {
    return over;
  }
}
