package dev.plinth.registry.partition;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The partition groups of a namespace. The rows of a partition are small, so their number bounds
 * them.
 */
final class PartitionNamespace {
  static final int MAX_GROUPS = 1000;
  static final int MAX_PARTITIONS = 65_536;

  private final String name;
  private final Map<String, PartitionGroup> groups = new HashMap<>();
  private int partitions;

  PartitionNamespace(String name) {
    this.name = name;
  }

  Optional<PartitionGroup> find(String group) {
    return Optional.ofNullable(groups.get(group));
  }

  Stream<PartitionGroup> groups() {
    return groups.values().stream();
  }

  void add(PartitionGroup group) {
    groups.put(group.name.group(), group);
    partitions += group.partitions.length;
  }

  void remove(PartitionGroup group) {
    groups.remove(group.name.group());
    partitions -= group.partitions.length;
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }

  /** A further group with so many partitions. */
  void admit(int count) {
    if (groups.size() >= MAX_GROUPS) {
      throw full("partition groups", MAX_GROUPS);
    }
    if (partitions + count > MAX_PARTITIONS) {
      throw full("partitions", MAX_PARTITIONS);
    }
  }

  private Failure full(String what, int most) {
    return full(
        what + " of namespace " + name,
        "namespace " + name + " may have no more than " + most + " " + what);
  }

  static Failure full(String what, String message) {
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, what, message, Duration.ofSeconds(1));
  }
}
