package dev.plinth.client.id;

import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.SafeMeters;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** All meters of ids, in Micrometer; one of each per namespace, over all handles of a client. */
final class ClientIdMetrics implements ClientIdEvents {
  /** The handles of a namespace, and what those handed out that are closed. */
  private static final class Tally {
    private final Set<IdGeneratorGauges> open = ConcurrentHashMap.newKeySet();
    private final LongAdder ofClosed = new LongAdder();

    double issued() {
      return ofClosed.sum() + open.stream().mapToLong(i -> i.issued().getAsLong()).sum();
    }

    double runway() {
      return open.stream().mapToLong(i -> i.runway().getAsLong()).sum();
    }

    double aheadSeconds() {
      return open.stream().map(i -> i.ahead().get()).mapToLong(Duration::toMillis).max().orElse(0)
          / 1000.0;
    }
  }

  private final MeterRegistry registry;
  private final Map<String, Tally> tallies = new ConcurrentHashMap<>();

  private ClientIdMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  static ClientIdEvents of(ClientRuntime runtime) {
    return new ClientIdMetrics(runtime.meters().orElseThrow());
  }

  @Override
  public void opened(IdGeneratorGauges gauges) {
    tallies.computeIfAbsent(gauges.namespace(), this::measured).open.add(gauges);
  }

  private Tally measured(String namespace) {
    Tally tally = new Tally();
    SafeMeters.run(() -> register(namespace, tally));
    return tally;
  }

  private void register(String namespace, Tally tally) {
    FunctionCounter.builder("plinth.client.ids.issued", tally, Tally::issued)
        .tag("namespace", namespace)
        .register(registry);
    Gauge.builder("plinth.client.ids.runway", tally, Tally::runway)
        .tag("namespace", namespace)
        .register(registry);
    Gauge.builder("plinth.client.ids.clock.ahead", tally, Tally::aheadSeconds)
        .tag("namespace", namespace)
        .baseUnit("seconds")
        .register(registry);
  }

  @Override
  public void closed(IdGeneratorGauges gauges) {
    Tally tally = tallies.get(gauges.namespace());
    if (tally.open.remove(gauges)) {
      tally.ofClosed.add(gauges.issued().getAsLong());
    }
  }

  @Override
  public void stalled(String namespace) {
    count("plinth.client.ids.range.stalls", namespace, 1);
  }

  @Override
  public void returned(String namespace, long ids) {
    count("plinth.client.ids.returned", namespace, ids);
  }

  private void count(String name, String namespace, long by) {
    SafeMeters.run(() -> registry.counter(name, "namespace", namespace).increment(by));
  }
}
