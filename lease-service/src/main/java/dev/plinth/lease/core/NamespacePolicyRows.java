package dev.plinth.lease.core;

import dev.plinth.lease.core.NamespacePolicy.LockDelays;
import dev.plinth.lease.core.NamespacePolicy.Ttls;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A namespace's policy: its version, the limits in the order of {@link NamespacePolicy}, and a line
 * for each semaphore.
 *
 * <pre>
 * lease/p/default:  v1 3 100 3600000 10000 3600000 300000 0 100 1000000 1000000 100000 10000 2147483647
 *                   10000 100000 100000
 *                   semaphore 5 gpu-
 * </pre>
 */
final class NamespacePolicyRows {
  static final String PREFIX = "lease/p/";

  private NamespacePolicyRows() {}

  static String keyOf(String namespace) {
    return PREFIX + namespace;
  }

  static byte[] encode(NamespacePolicy policy, long version) {
    RowWriter row =
        RowWriter.row()
            .number(version)
            .millis(policy.ttls().min())
            .millis(policy.ttls().max())
            .millis(policy.ttls().byDefault())
            .millis(policy.maxWait())
            .millis(policy.lockDelays().max())
            .millis(policy.lockDelays().byDefault())
            .number(policy.maxPriority());
    policy.quotas().values().forEach(row::number);
    for (NamespacePolicy.Semaphore rule : policy.semaphores()) {
      row.nextLine("semaphore").number(rule.capacity()).text(rule.keyPrefix());
    }
    return row.bytes();
  }

  static void decode(RowReader row, LeaseNamespace leaseNamespace) {
    long version = row.number();
    Ttls ttls = new Ttls(row.millis(), row.millis(), row.millis());
    Duration maxWait = row.millis();
    LockDelays delays = new LockDelays(row.millis(), row.millis());
    int maxPriority = row.integer();
    Map<Quota, Integer> quotas = new EnumMap<>(Quota.class);
    for (Quota quota : Quota.values()) {
      quotas.put(quota, row.integer(quota.most())); // rows of former versions have fewer
    }
    List<NamespacePolicy.Semaphore> semaphores = new ArrayList<>();
    while (row.nextLine()) {
      int capacity = row.integer();
      semaphores.add(new NamespacePolicy.Semaphore(row.text(), capacity));
    }
    leaseNamespace.policy(
        new NamespacePolicy(ttls, maxWait, delays, maxPriority, quotas, semaphores), version);
  }
}
