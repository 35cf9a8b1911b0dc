package dev.plinth.lease.core;

import java.util.ArrayList;
import java.util.List;

/**
 * A namespace's policy: its version, the limits in the order of {@link Policy}, and a line for each
 * semaphore.
 *
 * <pre>
 * lease/p/default:  v1 3 100 3600000 10000 3600000 300000 0 100 1000000 1000000 100000 10000 2147483647
 *                   10000 100000 100000
 *                   semaphore 5 gpu-
 * </pre>
 */
final class PolicyRows {
  static final String PREFIX = "lease/p/";

  private PolicyRows() {}

  static String keyOf(String namespace) {
    return PREFIX + namespace;
  }

  static byte[] encode(Policy policy, long version) {
    StringBuilder row = new StringBuilder(Words.VERSION).append(' ').append(version);
    row.append(' ').append(policy.minTtl().toMillis());
    row.append(' ').append(policy.maxTtl().toMillis());
    row.append(' ').append(policy.defaultTtl().toMillis());
    row.append(' ').append(policy.maxWait().toMillis());
    row.append(' ').append(policy.maxLockDelay().toMillis());
    row.append(' ').append(policy.defaultLockDelay().toMillis());
    row.append(' ').append(policy.maxPriority()).append(' ').append(policy.maxLeases());
    row.append(' ').append(policy.maxSessions()).append(' ').append(policy.maxWaiters());
    row.append(' ').append(policy.maxWaitersPerKey());
    row.append(' ').append(policy.maxAcquiresPerSecond());
    row.append(' ').append(policy.maxWaitersPerOwner());
    row.append(' ').append(policy.maxFences()).append(' ').append(policy.maxElections());
    policy
        .semaphores()
        .forEach(
            rule ->
                row.append("\nsemaphore ")
                    .append(rule.capacity())
                    .append(' ')
                    .append(Words.text(rule.keyPrefix())));
    return Words.bytes(row.toString());
  }

  static void decode(String rowKey, byte[] value, Space space) {
    String[] lines = Words.lines(rowKey, value);
    String[] w = lines[0].split(" ");
    List<Policy.Semaphore> semaphores = new ArrayList<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ");
      semaphores.add(new Policy.Semaphore(Words.untext(words[2]), Integer.parseInt(words[1])));
    }
    Policy policy =
        new Policy(
            Words.duration(w[2]),
            Words.duration(w[3]),
            Words.duration(w[4]),
            Words.duration(w[5]),
            Words.duration(w[6]),
            Words.duration(w[7]),
            Integer.parseInt(w[8]),
            Integer.parseInt(w[9]),
            Integer.parseInt(w[10]),
            Integer.parseInt(w[11]),
            Integer.parseInt(w[12]),
            Integer.parseInt(w[13]),
            number(w, 14, Policy.PLATFORM.maxWaitersPerOwner()),
            number(w, 15, Policy.PLATFORM.maxFences()),
            number(w, 16, Policy.PLATFORM.maxElections()),
            semaphores);
    space.policy(policy, Long.parseLong(w[1]));
  }

  /** A limit that rows of before it was one do not have. */
  private static int number(String[] words, int index, int byDefault) {
    return index < words.length ? Integer.parseInt(words[index]) : byDefault;
  }
}
