package dev.plinth.config.core;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A generation of a group: the revision of each of its configs. A config that is not in it has
 * none.
 */
public record Release(long generation, SortedMap<String, Long> revisions) {
  public Release {
    revisions = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(revisions));
  }

  /** What is there before anything was rolled out. */
  static Release none() {
    return new Release(0, new TreeMap<>());
  }

  Release with(long next, Map<String, Long> changed) {
    SortedMap<String, Long> merged = new TreeMap<>(revisions);
    merged.putAll(changed);
    return new Release(next, merged);
  }

  Release as(long next) {
    return new Release(next, revisions);
  }
}
