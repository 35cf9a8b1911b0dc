package dev.plinth.registry.partition;

import java.util.List;

/**
 * What one member owns.
 *
 * @param count of partitions that its group has
 * @param members that share them
 * @param owned in the order of their numbers, the revoked ones too
 */
public record PartitionAssignment(int count, int members, List<PartitionView> owned) {
  public int revoked() {
    return (int) owned.stream().filter(view -> view.state() == PartitionState.REVOKED).count();
  }
}
