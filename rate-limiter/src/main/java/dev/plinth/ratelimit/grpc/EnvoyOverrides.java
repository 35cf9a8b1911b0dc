package dev.plinth.ratelimit.grpc;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.Match;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Limits that callers bring along. Each is a policy of one rule that matches the descriptor's keys,
 * under a name that tells the limit and that no rule of a policy can have: so two limits for the
 * same descriptor never share a budget, and the same one always has the same.
 */
final class EnvoyOverrides {
  private static final long VERSION = 1; // the name tells all, so the budget never changes

  private static final Rule.Envoy UNNAMED = new Rule.Envoy("", false, "");

  private record Key(String domain, long version, List<String> keys, Limit limit) {}

  private final DescriptorCache cache;
  private final Cache<Key, CompiledPolicy> recent;

  /**
   * @param maxBytes of those that are remembered; the others are made again
   */
  EnvoyOverrides(DescriptorCache cache, long maxBytes) {
    this.cache = cache;
    this.recent =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            // The key's texts are those of the policy.
            .weigher((Key key, CompiledPolicy policy) -> (int) policy.bytes())
            .executor(Runnable::run) // who adds too much makes room for it
            .build();
  }

  /** What those that are remembered take, by estimate. */
  long bytes() {
    return recent.policy().eviction().orElseThrow().weightedSize().orElse(0);
  }

  CompiledPolicy policy(CompiledPolicy of, EnvoyWire.EnvoyCheck envoy, Limit limit) {
    List<String> keys =
        envoy.check().descriptors().stream().map(descriptor -> descriptor.key()).toList();
    return recent.get(new Key(of.policy().domain(), of.version(), keys, limit), this::compile);
  }

  private CompiledPolicy compile(Key key) {
    Rule rule =
        new Rule(
            name(key.limit),
            VERSION,
            key.keys.stream().map(name -> new Match(name, "")).toList(),
            Rule.Counting.of(key.limit),
            Rule.Enforcement.DEFAULT,
            Optional.empty(),
            List.of(),
            Optional.of(UNNAMED));
    return CompiledPolicy.of(
        new Policy(key.domain, key.version, List.of(rule), Instant.EPOCH), cache);
  }

  private static String name(Limit limit) {
    return "override." + limit.size() + "." + ((Limit.FixedWindow) limit).period();
  }
}
