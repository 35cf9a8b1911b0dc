package dev.plinth.registry.partition;

import java.util.List;
import java.util.OptionalInt;

/**
 * Some partitions of a group in the order of their numbers.
 *
 * @param next the partition to go on with; none after the last page
 */
public record PartitionPage(
    List<PartitionView> partitions, OptionalInt next, PartitionGroupSummary group) {
  // Partitions looked at for each that a page has room for, if only those of one owner are wanted.
  static final int MAX_VISITS_EACH = 10;

  /**
   * What is asked for.
   *
   * @param owner the name of the owner that they must have; empty for any
   * @param from the first partition
   */
  public record Request(PartitionGroupName group, String owner, int from, int size) {}
}
