package dev.plinth.lease.grpc;

import dev.plinth.lease.core.NamespacePolicy;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Policies, checked against the platform's own bounds, and back. */
final class NamespacePolicyWire {
  private static final int MAX_RULES = 1000;
  private static final NamespacePolicy MAX = NamespacePolicy.PLATFORM;

  private NamespacePolicyWire() {}

  static NamespacePolicy policy(dev.plinth.lease.v1.Policy wire) {
    Duration minTtl = ttl("min_ttl", wire.hasMinTtl(), wire.getMinTtl(), MAX.minTtl());
    Duration maxTtl = ttl("max_ttl", wire.hasMaxTtl(), wire.getMaxTtl(), MAX.maxTtl());
    if (minTtl.compareTo(maxTtl) > 0) {
      throw Failure.Invalid.field(
          "policy.max_ttl",
          FieldChecks.text(maxTtl),
          "no less than min_ttl, " + FieldChecks.text(minTtl));
    }
    Duration usual = within(MAX.defaultTtl(), minTtl, maxTtl);
    Duration defaultTtl = ttl("default_ttl", wire.hasDefaultTtl(), wire.getDefaultTtl(), usual);
    if (!within(defaultTtl, minTtl, maxTtl).equals(defaultTtl)) {
      throw Failure.Invalid.field(
          "policy.default_ttl",
          FieldChecks.text(defaultTtl),
          FieldChecks.text(minTtl) + ".." + FieldChecks.text(maxTtl));
    }
    Duration maxDelay =
        duration(
            "max_lock_delay", wire.hasMaxLockDelay(), wire.getMaxLockDelay(), MAX.maxLockDelay());
    Duration delay =
        FieldChecks.duration(
            "policy.default_lock_delay",
            wire.hasDefaultLockDelay() ? wire.getDefaultLockDelay() : null,
            Duration.ZERO,
            Duration.ZERO,
            maxDelay);
    int priority = FieldChecks.between("policy.max_priority", wire.getMaxPriority(), -100, 100);
    return new NamespacePolicy(
        minTtl,
        maxTtl,
        defaultTtl,
        duration("max_wait", wire.hasMaxWait(), wire.getMaxWait(), MAX.maxWait()),
        maxDelay,
        delay,
        priority == 0 ? MAX.maxPriority() : priority,
        count("max_leases", wire.getMaxLeases(), MAX.maxLeases()),
        count("max_sessions", wire.getMaxSessions(), MAX.maxSessions()),
        count("max_waiters", wire.getMaxWaiters(), MAX.maxWaiters()),
        count("max_waiters_per_key", wire.getMaxWaitersPerKey(), MAX.maxWaitersPerKey()),
        count(
            "max_acquires_per_second", wire.getMaxAcquiresPerSecond(), MAX.maxAcquiresPerSecond()),
        count("max_waiters_per_owner", wire.getMaxWaitersPerOwner(), MAX.maxWaitersPerOwner()),
        count("max_fences", wire.getMaxFences(), MAX.maxFences()),
        count("max_elections", wire.getMaxElections(), MAX.maxElections()),
        semaphores(wire.getSemaphoresList()));
  }

  private static Duration within(Duration value, Duration least, Duration most) {
    return value.compareTo(least) < 0 ? least : value.compareTo(most) > 0 ? most : value;
  }

  private static Duration ttl(
      String field, boolean given, com.google.protobuf.Duration value, Duration byDefault) {
    return FieldChecks.duration(
        "policy." + field, given ? value : null, byDefault, MAX.minTtl(), MAX.maxTtl());
  }

  private static Duration duration(
      String field, boolean given, com.google.protobuf.Duration value, Duration most) {
    return FieldChecks.duration("policy." + field, given ? value : null, most, Duration.ZERO, most);
  }

  private static int count(String field, int value, int most) {
    int checked = FieldChecks.between("policy." + field, value, 0, most);
    return checked == 0 ? most : checked;
  }

  private static List<NamespacePolicy.Semaphore> semaphores(List<SemaphoreRule> rules) {
    FieldChecks.between("policy.semaphores", rules.size(), 0, MAX_RULES);
    List<NamespacePolicy.Semaphore> semaphores = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < rules.size(); i++) {
      SemaphoreRule rule = rules.get(i);
      String path = "policy.semaphores[" + i + "].";
      String prefix =
          FieldChecks.optionalName(path + "key_prefix", rule.getKeyPrefix(), LeaseWire.MAX_KEY);
      if (!seen.add(prefix)) {
        throw Failure.Invalid.field(path + "key_prefix", '"' + prefix + '"', "each prefix once");
      }
      int capacity = FieldChecks.between(path + "capacity", rule.getCapacity(), 1, 1_000_000);
      semaphores.add(new NamespacePolicy.Semaphore(prefix, capacity));
    }
    return semaphores;
  }

  /** With every limit as it holds, so that nobody has to know the platform's own. */
  static dev.plinth.lease.v1.Policy policy(NamespacePolicy namespacePolicy) {
    return dev.plinth.lease.v1.Policy.newBuilder()
        .setMinTtl(LeaseWire.duration(namespacePolicy.minTtl()))
        .setMaxTtl(LeaseWire.duration(namespacePolicy.maxTtl()))
        .setDefaultTtl(LeaseWire.duration(namespacePolicy.defaultTtl()))
        .setMaxWait(LeaseWire.duration(namespacePolicy.maxWait()))
        .setMaxLockDelay(LeaseWire.duration(namespacePolicy.maxLockDelay()))
        .setDefaultLockDelay(LeaseWire.duration(namespacePolicy.defaultLockDelay()))
        .setMaxPriority(namespacePolicy.maxPriority())
        .setMaxLeases(namespacePolicy.maxLeases())
        .setMaxSessions(namespacePolicy.maxSessions())
        .setMaxWaiters(namespacePolicy.maxWaiters())
        .setMaxWaitersPerKey(namespacePolicy.maxWaitersPerKey())
        .setMaxAcquiresPerSecond(namespacePolicy.maxAcquiresPerSecond())
        .setMaxWaitersPerOwner(namespacePolicy.maxWaitersPerOwner())
        .setMaxFences(namespacePolicy.maxFences())
        .setMaxElections(namespacePolicy.maxElections())
        .addAllSemaphores(
            namespacePolicy.semaphores().stream()
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
