package dev.plinth.ratelimit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One counter for each domain and rule. Rules are few by design, but anybody may make policies:
 * past {@link #MAX} they share the labels {@code others}.
 */
final class RuleCounters {
  static final int MAX = 1000;
  private static final String OTHERS = "others";

  private record Labels(String domain, String rule) {}

  private final MeterRegistry registry;
  private final String name;
  private final String description;
  private final Tags tags;
  private final Map<Labels, Counter> counters = new ConcurrentHashMap<>();

  /**
   * @param tags that all of them have
   */
  RuleCounters(MeterRegistry registry, String name, String description, String... tags) {
    this.registry = registry;
    this.name = "plinth.ratelimit." + name;
    this.description = description;
    this.tags = Tags.of(tags);
  }

  void increment(String domain, String rule) {
    Labels labels = new Labels(domain, rule);
    Counter known = counters.get(labels);
    if (known == null) {
      Labels shown = counters.size() < MAX ? labels : new Labels(OTHERS, OTHERS);
      known = counters.computeIfAbsent(shown, this::counter);
    }
    known.increment();
  }

  private Counter counter(Labels labels) {
    return Counter.builder(name)
        .description(description)
        .tag("domain", labels.domain)
        .tag("rule", labels.rule)
        .tags(tags)
        .register(registry);
  }
}
