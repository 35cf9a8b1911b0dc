package dev.plinth.bench.failover;

import dev.plinth.bench.Millis;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What callers saw over several faults of one kind. */
final class Faults {
  private final Millis hit = new Millis();
  private final Millis others = new Millis();
  private final Map<String, Long> failedAttempts = new TreeMap<>();
  private int rounds;
  private long calls;
  private long failedCalls;

  /**
   * @param namespaces of all callers
   * @param owned those whose shards the node owned
   */
  void add(List<String> namespaces, List<String> owned, Outage outage) {
    if (owned.isEmpty()) {
      throw new IllegalStateException("the node owned nothing");
    }
    for (String namespace : namespaces) {
      (owned.contains(namespace) ? hit : others).add(outage.longestMillis(namespace));
    }
    outage
        .failedAttempts()
        .forEach((how, count) -> failedAttempts.merge(how, count.get(), Long::sum));
    rounds++;
    calls += outage.calls();
    failedCalls += outage.failedCalls();
  }

  int rounds() {
    return rounds;
  }

  /** For each namespace of a shard that the node owned. */
  Millis hit() {
    return hit;
  }

  Millis others() {
    return others;
  }

  long calls() {
    return calls;
  }

  String failedAttempts() {
    return failedAttempts.isEmpty()
        ? "0"
        : failedAttempts.entrySet().stream()
            .map(failed -> failed.getValue() + " " + failed.getKey())
            .collect(Collectors.joining(", "));
  }

  long failedCalls() {
    return failedCalls;
  }
}
