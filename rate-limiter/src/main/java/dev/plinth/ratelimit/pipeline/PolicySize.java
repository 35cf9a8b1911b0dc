package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.Match;

/**
 * Memory of a compiled policy. Sizes are estimates for a 64-bit JVM with compressed pointers, on
 * the high side.
 */
final class PolicySize {
  private static final int POLICY_BYTES = 2048;
  private static final int RULE_BYTES = 1024; // its records, its name in maps, its bits in indexes
  private static final int MATCH_BYTES = 640; // a node of the tree with two maps of one entry

  private PolicySize() {}

  static long of(Policy policy) {
    long bytes = POLICY_BYTES + DescriptorCache.bytesOf(policy.domain());
    for (Rule rule : policy.rules()) {
      bytes += of(rule);
    }
    return bytes;
  }

  private static long of(Rule rule) {
    long bytes = RULE_BYTES + DescriptorCache.bytesOf(rule.name());
    for (Match match : rule.match()) {
      bytes += MATCH_BYTES;
      bytes += DescriptorCache.bytesOf(match.key()) + DescriptorCache.bytesOf(match.value());
    }
    for (String name : rule.replaces()) {
      bytes += DescriptorCache.bytesOf(name);
    }
    if (rule.envoy().isPresent()) {
      bytes += DescriptorCache.bytesOf(rule.envoy().get().limitName());
      bytes += DescriptorCache.bytesOf(rule.envoy().get().metadata());
    }
    return bytes;
  }
}
