package dev.plinth.simulation.workload.ids;

import dev.plinth.testkit.MonotonicityChecker;
import dev.plinth.testkit.MonotonicityChecker.Given;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges the ids of one namespace that callers were given: none twice, rising for each caller, and
 * in strict order rising in real time over all.
 */
final class GivenIdsChecker {
  private final String namespace;
  private final boolean strict;
  private final Map<Long, String> givenTo = new HashMap<>();
  private final Map<String, Long> highest = new HashMap<>();
  private final List<Given> all = new ArrayList<>();

  GivenIdsChecker(String namespace, boolean strict) {
    this.namespace = namespace;
    this.strict = strict;
  }

  /**
   * One caller's ids of one call, in order.
   *
   * @param caller whose ids rise: one that asks again only when it was answered
   */
  void given(String caller, long asked, long answered, List<Long> ids) {
    for (long id : ids) {
      String other = givenTo.put(id, caller);
      require(other == null, "id %d for %s, and for %s before", id, caller, other);
      Long before = highest.put(caller, id);
      require(before == null || before < id, "id %d for %s after %d", id, caller, before);
    }
    if (!ids.isEmpty()) {
      all.add(new Given(caller.hashCode(), asked, answered, ids.get(0), ids.get(ids.size() - 1)));
    }
  }

  long count() {
    return givenTo.size();
  }

  void check() {
    if (strict) {
      MonotonicityChecker.check(all);
    }
  }

  private void require(boolean holds, String what, Object... values) {
    if (!holds) {
      throw new AssertionError(namespace + ": " + what.formatted(values));
    }
  }
}
