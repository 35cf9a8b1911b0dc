package dev.plinth.client.limit;

import dev.plinth.client.internal.SafeMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All meters of limiters, in Micrometer. The only class here that needs it. */
final class ClientLimitMetrics implements ClientLimitEvents {
  private static final String PREFIX = "plinth.client.limit.";
  private static final List<String> SLOT_EVENTS =
      List.of(
          "ACQUIRED", "FULL", "NO_RULE", "REFUSED", "UNAVAILABLE", "RENEWED", "LOST", "RELEASED");

  private final Map<DecisionSource, Counter> allowed = new EnumMap<>(DecisionSource.class);
  private final Map<DecisionSource, Counter> denied = new EnumMap<>(DecisionSource.class);
  private final Map<String, Counter> leases = new HashMap<>();
  private final Map<String, Counter> slots = new HashMap<>();
  private final Counter shadows;
  private final Counter granted;
  private final Counter unused;
  private final Counter stale;

  ClientLimitMetrics(MeterRegistry registry) {
    for (DecisionSource source : DecisionSource.values()) {
      allowed.put(source, answers(registry, "ALLOWED", source));
      denied.put(source, answers(registry, "DENIED", source));
    }
    for (String outcome : List.of("LEASED", "DENIED", "NOT_LEASABLE", "FAILED")) {
      leases.put(outcome, registry.counter(PREFIX + "leases", "outcome", outcome));
    }
    for (String what : SLOT_EVENTS) {
      slots.put(what, registry.counter(PREFIX + "slots", "event", what));
    }
    shadows = registry.counter(PREFIX + "shadow.denials");
    granted = registry.counter(PREFIX + "lease.granted");
    unused = registry.counter(PREFIX + "lease.unused");
    stale = registry.counter(PREFIX + "lease.stale");
  }

  private static Counter answers(MeterRegistry registry, String answer, DecisionSource source) {
    return registry.counter(PREFIX + "decisions", "answer", answer, "source", source.name());
  }

  @Override
  public void answered(boolean isAllowed, DecisionSource source) {
    SafeMeters.increment((isAllowed ? allowed : denied).get(source), 1);
  }

  @Override
  public void shadowDenied() {
    SafeMeters.increment(shadows, 1);
  }

  @Override
  public void leaseRequested(String outcome) {
    SafeMeters.increment(leases.get(outcome), 1);
  }

  @Override
  public void leased(long units) {
    SafeMeters.increment(granted, units);
  }

  @Override
  public void unused(long units) {
    SafeMeters.increment(unused, units);
  }

  @Override
  public void stale(long units) {
    SafeMeters.increment(stale, units);
  }

  @Override
  public void slot(String what) {
    SafeMeters.increment(slots.get(what), 1);
  }
}
