package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which node of a cluster has which slots, as one of them reported it.
 *
 * @param owners {@code host:port} of each slot, null of one that nobody has
 * @param primaries all of them
 */
record ClusterTopology(String[] owners, Set<String> primaries) {
  private static final String UNKNOWN_HOST = "?"; // Redis 7, of a node without a name to announce

  /**
   * Reads an answer to CLUSTER SLOTS. A node that does not know its own address, or must not name
   * it, leaves the host out: it is then the host that was queried.
   *
   * @param reporter {@code host:port}
   */
  static ClusterTopology parse(List<?> slots, String reporter) {
    String[] owners = new String[SlotHash.SLOT_COUNT];
    Set<String> primaries = new HashSet<>();
    for (Object each : slots) {
      List<?> range = (List<?>) each;
      List<?> primary = (List<?>) range.get(2);
      String hostPort = resolve(text(primary.get(0)) + ":" + primary.get(1), reporter);
      primaries.add(hostPort);
      for (long slot = (Long) range.get(0); slot <= (Long) range.get(1); slot++) {
        owners[(int) slot] = hostPort;
      }
    }
    return new ClusterTopology(owners, primaries);
  }

  /** With the host of {@code reporter}, if it has none of its own. */
  static String resolve(String hostPort, String reporter) {
    RedisAddress.Host host = RedisAddress.Host.parse(hostPort);
    return host.name().isEmpty() || host.name().equals(UNKNOWN_HOST)
        ? new RedisAddress.Host(RedisAddress.Host.parse(reporter).name(), host.port()).toString()
        : hostPort;
  }

  private static String text(Object value) {
    if (value == null) {
      return "";
    }
    return value instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : value.toString();
  }

  /** Of a node that belongs to no cluster, or not yet. */
  boolean isEmpty() {
    return primaries.isEmpty();
  }

  /** Null if nobody has it. */
  String owner(String domain) {
    return owners[SlotHash.getSlot(domain.getBytes(StandardCharsets.UTF_8))]; // as of its tag
  }

  boolean isComplete() {
    for (String owner : owners) {
      if (owner == null) {
        return false;
      }
    }
    return true;
  }
}
