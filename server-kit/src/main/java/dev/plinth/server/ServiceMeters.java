package dev.plinth.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Registers the meters of one service. Their names begin with its own. Meters with a tag are made
 * for each of its values at once and looked up by it, so that counting builds nothing.
 */
public final class ServiceMeters {
  private final MeterRegistry registry;
  private final String prefix;

  /**
   * @param prefix such as {@code plinth.lease.}
   */
  public ServiceMeters(MeterRegistry registry, String prefix) {
    this.registry = registry;
    this.prefix = prefix;
  }

  public Counter counter(String name, String description) {
    return Counter.builder(prefix + name).description(description).register(registry);
  }

  public Map<String, Counter> counters(
      String name, String tag, List<String> values, String description) {
    Map<String, Counter> counters = new HashMap<>();
    for (String value : values) {
      counters.put(
          value,
          Counter.builder(prefix + name)
              .description(description)
              .tag(tag, value)
              .register(registry));
    }
    return counters;
  }

  public Timer timer(String name, String description) {
    return Timer.builder(prefix + name).description(description).register(registry);
  }

  public Map<String, Timer> timers(
      String name, String tag, List<String> values, String description) {
    Map<String, Timer> timers = new HashMap<>();
    for (String value : values) {
      timers.put(
          value,
          Timer.builder(prefix + name).description(description).tag(tag, value).register(registry));
    }
    return timers;
  }

  public DistributionSummary summary(String name, String description) {
    return DistributionSummary.builder(prefix + name).description(description).register(registry);
  }

  public AtomicInteger gauge(String name) {
    return registry.gauge(prefix + name, new AtomicInteger());
  }

  public AtomicInteger gauge(String name, String description) {
    AtomicInteger value = new AtomicInteger();
    Gauge.builder(prefix + name, value, AtomicInteger::get)
        .description(description)
        .register(registry);
    return value;
  }

  public AtomicLong longGauge(String name) {
    return registry.gauge(prefix + name, new AtomicLong());
  }
}
