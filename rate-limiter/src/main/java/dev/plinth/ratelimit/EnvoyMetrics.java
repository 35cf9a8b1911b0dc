package dev.plinth.ratelimit;

import dev.plinth.ratelimit.grpc.EnvoyEvents;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.server.log.LogThrottle;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Counts what proxies ask. Rules, values and domains come from callers, so only the first of them
 * have series of their own.
 */
final class EnvoyMetrics implements EnvoyEvents {
  private static final System.Logger log = System.getLogger("plinth.ratelimit");
  private static final int MAX_SERIES = 1000;
  private static final int MAX_UNKNOWN = 100;
  private static final String OTHERS = "others";

  private record Series(String domain, String rule, String values, Outcome outcome) {
    Series others() {
      return new Series(OTHERS, OTHERS, "", outcome);
    }
  }

  private final MeterRegistry registry;
  private final Map<Series, Counter> hits = new ConcurrentHashMap<>();
  private final Map<String, Counter> unknown = new ConcurrentHashMap<>();
  private final LogThrottle throttle;

  EnvoyMetrics(MeterRegistry registry, LongSupplier nanos) {
    this.registry = registry;
    this.throttle = new LogThrottle(nanos);
  }

  @Override
  public void hits(String domain, String rule, String values, Outcome outcome, long many) {
    Series series = new Series(domain, rule, values, outcome);
    Counter known = hits.get(series);
    if (known == null) {
      Series shown = hits.size() < MAX_SERIES ? series : series.others();
      known = hits.computeIfAbsent(shown, this::counter);
    }
    known.increment(many);
  }

  private Counter counter(Series series) {
    return Counter.builder("plinth.ratelimit.envoy.hits")
        .description("Hits of Envoy's descriptors, by the rule that decided and how")
        .tag("domain", series.domain)
        .tag("rule", series.rule)
        .tag("values", series.values)
        .tag("outcome", series.outcome.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  @Override
  public void unknownDomain(String domain) {
    String name = Descriptor.shortened(domain);
    Counter known = unknown.get(name);
    if (known == null) {
      String shown = unknown.size() < MAX_UNKNOWN ? name : OTHERS;
      known = unknown.computeIfAbsent(shown, this::unknownCounter);
    }
    known.increment();
    throttle
        .next()
        .ifPresent(
            many ->
                log.log(
                    Level.WARNING,
                    "Envoy asks for domain \"{0}\", which has no policy: allowed"
                        + " ({1} such requests since the line before)",
                    printable(name),
                    many));
  }

  private static String printable(String domain) {
    return domain.replaceAll("[^\\x20-\\x7e]", "?");
  }

  private Counter unknownCounter(String domain) {
    return Counter.builder("plinth.ratelimit.envoy.unknown.domain")
        .description("Requests of Envoy for a domain without a policy, which were allowed")
        .tag("domain", domain)
        .register(registry);
  }
}
