package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.core.CompiledPolicy;
import dev.plinth.ratelimit.core.Limit;
import dev.plinth.ratelimit.core.OnChange;
import dev.plinth.ratelimit.core.Policy;
import dev.plinth.ratelimit.core.Rule;
import dev.plinth.ratelimit.core.Rule.FailMode;
import dev.plinth.ratelimit.core.Rule.Match;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Limits that callers bring along. Each is a policy of one rule that matches the descriptor's keys,
 * under a name that tells the limit and that no rule of a policy can have: so two limits for the
 * same descriptor never share a budget, and the same one always has the same.
 */
final class EnvoyOverrides {
  private static final int MOST = 1000;
  private static final int REMEMBERED = 10_000;
  private static final long VERSION = 1; // the name tells all, so the budget never changes

  private record Key(String domain, long version, List<String> keys, Limit limit) {}

  private final Map<Key, CompiledPolicy> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, CompiledPolicy> eldest) {
          return size() > MOST;
        }
      };

  synchronized CompiledPolicy policy(CompiledPolicy of, EnvoyWire.Asked asked, Limit limit) {
    List<String> keys =
        asked.check().descriptors().stream().map(descriptor -> descriptor.key()).toList();
    return recent.computeIfAbsent(
        new Key(of.policy().domain(), of.version(), keys, limit), EnvoyOverrides::compile);
  }

  private static CompiledPolicy compile(Key key) {
    Rule rule =
        new Rule(
            name(key.limit),
            key.keys.stream().map(name -> new Match(name, "")).toList(),
            key.limit,
            VERSION,
            false,
            Rule.ALL,
            FailMode.LOCAL,
            0,
            Optional.empty(),
            OnChange.AS_IS,
            List.of());
    return CompiledPolicy.of(
            new Policy(key.domain, key.version, List.of(rule), Instant.EPOCH), REMEMBERED)
        .exact();
  }

  private static String name(Limit limit) {
    return limit instanceof Limit.CalendarWindow window
        ? "override." + window.limit() + "." + window.unit()
        : "override." + limit.size() + "." + ((Limit.FixedWindow) limit).period();
  }
}
