package dev.plinth.registry.core;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a label must be.
 *
 * @param values one of these; none if it need only be there
 * @param absent turns it around
 */
public record LabelFilter(String key, Set<String> values, boolean absent) {
  public LabelFilter {
    values = Set.copyOf(values);
  }

  boolean fits(Map<String, String> labels) {
    String value = labels.get(key);
    boolean found = value != null && (values.isEmpty() || values.contains(value));
    return found != absent;
  }

  /** Whether labels fit all of them. */
  public static boolean all(List<LabelFilter> filters, Map<String, String> labels) {
    for (LabelFilter filter : filters) {
      if (!filter.fits(labels)) {
        return false;
      }
    }
    return true;
  }
}
