package dev.plinth.lease.grpc;

import dev.plinth.lease.core.Policy;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.server.call.Fields;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Policies, checked against the platform's own bounds, and back. */
final class PolicyWire {
  private static final int MOST_RULES = 1000;
  private static final Policy MOST = Policy.PLATFORM;

  private PolicyWire() {}

  static Policy policy(dev.plinth.lease.v1.Policy wire) {
    Duration minTtl = ttl("min_ttl", wire.hasMinTtl(), wire.getMinTtl(), MOST.minTtl());
    Duration maxTtl = ttl("max_ttl", wire.hasMaxTtl(), wire.getMaxTtl(), MOST.maxTtl());
    if (minTtl.compareTo(maxTtl) > 0) {
      throw Failure.Invalid.field(
          "policy.max_ttl", Fields.text(maxTtl), "no less than min_ttl, " + Fields.text(minTtl));
    }
    Duration usual = within(MOST.defaultTtl(), minTtl, maxTtl);
    Duration defaultTtl = ttl("default_ttl", wire.hasDefaultTtl(), wire.getDefaultTtl(), usual);
    if (!within(defaultTtl, minTtl, maxTtl).equals(defaultTtl)) {
      throw Failure.Invalid.field(
          "policy.default_ttl",
          Fields.text(defaultTtl),
          Fields.text(minTtl) + ".." + Fields.text(maxTtl));
    }
    Duration maxDelay =
        duration(
            "max_lock_delay", wire.hasMaxLockDelay(), wire.getMaxLockDelay(), MOST.maxLockDelay());
    Duration delay =
        Fields.duration(
            "policy.default_lock_delay",
            wire.hasDefaultLockDelay() ? wire.getDefaultLockDelay() : null,
            Duration.ZERO,
            Duration.ZERO,
            maxDelay);
    int priority = Fields.between("policy.max_priority", wire.getMaxPriority(), -100, 100);
    return new Policy(
        minTtl,
        maxTtl,
        defaultTtl,
        duration("max_wait", wire.hasMaxWait(), wire.getMaxWait(), MOST.maxWait()),
        maxDelay,
        delay,
        priority == 0 ? MOST.maxPriority() : priority,
        count("max_leases", wire.getMaxLeases(), MOST.maxLeases()),
        count("max_sessions", wire.getMaxSessions(), MOST.maxSessions()),
        count("max_waiters", wire.getMaxWaiters(), MOST.maxWaiters()),
        count("max_waiters_per_key", wire.getMaxWaitersPerKey(), MOST.maxWaitersPerKey()),
        count(
            "max_acquires_per_second", wire.getMaxAcquiresPerSecond(), MOST.maxAcquiresPerSecond()),
        count("max_waiters_per_owner", wire.getMaxWaitersPerOwner(), MOST.maxWaitersPerOwner()),
        count("max_fences", wire.getMaxFences(), MOST.maxFences()),
        count("max_elections", wire.getMaxElections(), MOST.maxElections()),
        semaphores(wire.getSemaphoresList()));
  }

  private static Duration within(Duration value, Duration least, Duration most) {
    return value.compareTo(least) < 0 ? least : value.compareTo(most) > 0 ? most : value;
  }

  private static Duration ttl(
      String field, boolean given, com.google.protobuf.Duration value, Duration byDefault) {
    return Fields.duration(
        "policy." + field, given ? value : null, byDefault, MOST.minTtl(), MOST.maxTtl());
  }

  private static Duration duration(
      String field, boolean given, com.google.protobuf.Duration value, Duration most) {
    return Fields.duration("policy." + field, given ? value : null, most, Duration.ZERO, most);
  }

  private static int count(String field, int value, int most) {
    int checked = Fields.between("policy." + field, value, 0, most);
    return checked == 0 ? most : checked;
  }

  private static List<Policy.Semaphore> semaphores(List<SemaphoreRule> rules) {
    Fields.between("policy.semaphores", rules.size(), 0, MOST_RULES);
    List<Policy.Semaphore> semaphores = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < rules.size(); i++) {
      SemaphoreRule rule = rules.get(i);
      String path = "policy.semaphores[" + i + "].";
      String prefix =
          Fields.optionalName(path + "key_prefix", rule.getKeyPrefix(), LeaseWire.MOST_KEY);
      if (!seen.add(prefix)) {
        throw Failure.Invalid.field(path + "key_prefix", '"' + prefix + '"', "each prefix once");
      }
      int capacity = Fields.between(path + "capacity", rule.getCapacity(), 1, 1_000_000);
      semaphores.add(new Policy.Semaphore(prefix, capacity));
    }
    return semaphores;
  }

  /** With every limit as it holds, so that nobody has to know the platform's own. */
  static dev.plinth.lease.v1.Policy policy(Policy policy) {
    return dev.plinth.lease.v1.Policy.newBuilder()
        .setMinTtl(LeaseWire.duration(policy.minTtl()))
        .setMaxTtl(LeaseWire.duration(policy.maxTtl()))
        .setDefaultTtl(LeaseWire.duration(policy.defaultTtl()))
        .setMaxWait(LeaseWire.duration(policy.maxWait()))
        .setMaxLockDelay(LeaseWire.duration(policy.maxLockDelay()))
        .setDefaultLockDelay(LeaseWire.duration(policy.defaultLockDelay()))
        .setMaxPriority(policy.maxPriority())
        .setMaxLeases(policy.maxLeases())
        .setMaxSessions(policy.maxSessions())
        .setMaxWaiters(policy.maxWaiters())
        .setMaxWaitersPerKey(policy.maxWaitersPerKey())
        .setMaxAcquiresPerSecond(policy.maxAcquiresPerSecond())
        .setMaxWaitersPerOwner(policy.maxWaitersPerOwner())
        .setMaxFences(policy.maxFences())
        .setMaxElections(policy.maxElections())
        .addAllSemaphores(
            policy.semaphores().stream()
                .map(
                    rule ->
                        SemaphoreRule.newBuilder()
                            .setKeyPrefix(rule.keyPrefix())
                            .setCapacity(rule.capacity())
                            .build())
                .toList())
        .build();
  }
}
