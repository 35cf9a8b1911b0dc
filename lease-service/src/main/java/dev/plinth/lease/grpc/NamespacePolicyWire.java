package dev.plinth.lease.grpc;

import dev.plinth.lease.core.NamespacePolicy;
import dev.plinth.lease.core.NamespacePolicy.LockDelays;
import dev.plinth.lease.core.NamespacePolicy.Ttls;
import dev.plinth.lease.core.Quota;
import dev.plinth.lease.v1.Policy;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.MessageFields;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Policies, checked against the platform's own bounds, and back. */
final class NamespacePolicyWire {
  private static final int MAX_RULES = 1000;
  private static final NamespacePolicy MAX = NamespacePolicy.PLATFORM;

  private NamespacePolicyWire() {}

  static NamespacePolicy policy(Policy wire) {
    MessageFields fields = new MessageFields(wire, "policy.");
    int priority = fields.between("max_priority", -100, 100);
    return storable(
        new NamespacePolicy(
            ttls(fields),
            fields.duration("max_wait", MAX.maxWait(), Duration.ZERO, MAX.maxWait()),
            lockDelays(fields),
            priority == 0 ? MAX.maxPriority() : priority,
            quotas(fields),
            semaphores(wire.getSemaphoresList())));
  }

  /** A row that no store takes would cost the shard its memory. */
  private static NamespacePolicy storable(NamespacePolicy policy) {
    int bytes = policy.rowBytes();
    if (bytes > NamespacePolicy.MAX_ROW_BYTES) {
      throw Failure.Invalid.field(
          "policy.semaphores",
          bytes + " bytes as they are stored",
          "at most " + NamespacePolicy.MAX_ROW_BYTES);
    }
    return policy;
  }

  private static Ttls ttls(MessageFields fields) {
    Ttls most = MAX.ttls();
    Duration min = fields.duration("min_ttl", most.min(), most.min(), most.max());
    Duration max = fields.duration("max_ttl", most.max(), most.min(), most.max());
    if (min.compareTo(max) > 0) {
      throw Failure.Invalid.field(
          fields.path("max_ttl"),
          FieldChecks.text(max),
          "no less than min_ttl, " + FieldChecks.text(min));
    }
    Duration usual = most.byDefault();
    usual = usual.compareTo(min) < 0 ? min : usual.compareTo(max) > 0 ? max : usual;
    return new Ttls(min, max, fields.duration("default_ttl", usual, min, max));
  }

  private static LockDelays lockDelays(MessageFields fields) {
    Duration most = MAX.lockDelays().max();
    Duration max = fields.duration("max_lock_delay", most, Duration.ZERO, most);
    return new LockDelays(
        max, fields.duration("default_lock_delay", Duration.ZERO, Duration.ZERO, max));
  }

  private static Map<Quota, Integer> quotas(MessageFields fields) {
    Map<Quota, Integer> quotas = new EnumMap<>(Quota.class);
    for (Quota quota : Quota.values()) {
      int asked = fields.between(field(quota), 0, quota.most());
      quotas.put(quota, asked == 0 ? quota.most() : asked);
    }
    return quotas;
  }

  private static String field(Quota quota) {
    return "max_" + quota.name().toLowerCase(Locale.ROOT);
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
  static Policy policy(NamespacePolicy policy) {
    Policy.Builder wire =
        Policy.newBuilder()
            .setMinTtl(FieldChecks.wire(policy.ttls().min()))
            .setMaxTtl(FieldChecks.wire(policy.ttls().max()))
            .setDefaultTtl(FieldChecks.wire(policy.ttls().byDefault()))
            .setMaxWait(FieldChecks.wire(policy.maxWait()))
            .setMaxLockDelay(FieldChecks.wire(policy.lockDelays().max()))
            .setDefaultLockDelay(FieldChecks.wire(policy.lockDelays().byDefault()))
            .setMaxPriority(policy.maxPriority());
    policy
        .quotas()
        .forEach(
            (quota, most) ->
                wire.setField(Policy.getDescriptor().findFieldByName(field(quota)), most));
    for (NamespacePolicy.Semaphore rule : policy.semaphores()) {
      wire.addSemaphoresBuilder().setKeyPrefix(rule.keyPrefix()).setCapacity(rule.capacity());
    }
    return wire.build();
  }
}
