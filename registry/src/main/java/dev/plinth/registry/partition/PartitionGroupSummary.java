package dev.plinth.registry.partition;

/**
 * A group in figures.
 *
 * @param count of its partitions; 0 if there is no such group
 * @param members that share them
 * @param revoked partitions that are to be released
 * @param overdue those of them that are for too long
 */
public record PartitionGroupSummary(int count, int members, int revoked, int overdue) {
  static final PartitionGroupSummary NONE = new PartitionGroupSummary(0, 0, 0, 0);
}
