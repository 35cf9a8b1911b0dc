package dev.plinth.lease.core;

import java.util.ArrayList;
import java.util.List;

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

  static byte[] encode(NamespacePolicy namespacePolicy, long version) {
    StringBuilder row = new StringBuilder(RowText.VERSION).append(' ').append(version);
    row.append(' ').append(namespacePolicy.minTtl().toMillis());
    row.append(' ').append(namespacePolicy.maxTtl().toMillis());
    row.append(' ').append(namespacePolicy.defaultTtl().toMillis());
    row.append(' ').append(namespacePolicy.maxWait().toMillis());
    row.append(' ').append(namespacePolicy.maxLockDelay().toMillis());
    row.append(' ').append(namespacePolicy.defaultLockDelay().toMillis());
    row.append(' ')
        .append(namespacePolicy.maxPriority())
        .append(' ')
        .append(namespacePolicy.maxLeases());
    row.append(' ')
        .append(namespacePolicy.maxSessions())
        .append(' ')
        .append(namespacePolicy.maxWaiters());
    row.append(' ').append(namespacePolicy.maxWaitersPerKey());
    row.append(' ').append(namespacePolicy.maxAcquiresPerSecond());
    row.append(' ').append(namespacePolicy.maxWaitersPerOwner());
    row.append(' ')
        .append(namespacePolicy.maxFences())
        .append(' ')
        .append(namespacePolicy.maxElections());
    namespacePolicy
        .semaphores()
        .forEach(
            rule ->
                row.append("\nsemaphore ")
                    .append(rule.capacity())
                    .append(' ')
                    .append(RowText.encode(rule.keyPrefix())));
    return RowText.bytes(row.toString());
  }

  static void decode(String rowKey, byte[] value, LeaseNamespace leaseNamespace) {
    String[] lines = RowText.lines(rowKey, value);
    String[] w = lines[0].split(" ");
    List<NamespacePolicy.Semaphore> semaphores = new ArrayList<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ");
      semaphores.add(
          new NamespacePolicy.Semaphore(RowText.decode(words[2]), Integer.parseInt(words[1])));
    }
    NamespacePolicy namespacePolicy =
        new NamespacePolicy(
            RowText.duration(w[2]),
            RowText.duration(w[3]),
            RowText.duration(w[4]),
            RowText.duration(w[5]),
            RowText.duration(w[6]),
            RowText.duration(w[7]),
            Integer.parseInt(w[8]),
            Integer.parseInt(w[9]),
            Integer.parseInt(w[10]),
            Integer.parseInt(w[11]),
            Integer.parseInt(w[12]),
            Integer.parseInt(w[13]),
            number(w, 14, NamespacePolicy.PLATFORM.maxWaitersPerOwner()),
            number(w, 15, NamespacePolicy.PLATFORM.maxFences()),
            number(w, 16, NamespacePolicy.PLATFORM.maxElections()),
            semaphores);
    leaseNamespace.policy(namespacePolicy, Long.parseLong(w[1]));
  }

  /** A limit that rows of before it was one do not have. */
  private static int number(String[] words, int index, int byDefault) {
    return index < words.length ? Integer.parseInt(words[index]) : byDefault;
  }
}
