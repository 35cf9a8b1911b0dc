package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.registry.partition.PartitionEvents;
import java.util.List;

/** Keeps count, for tests. */
final class CountedPartitionEvents implements PartitionEvents {
  int assigned;
  int revoked;
  int released;
  int orphaned;
  int groups;
  int groupMembers;
  int partitions;
  int free;
  int unreleased;
  int overdue;

  /** All but what a new owner begins anew. */
  List<Integer> durableGauges() {
    return List.of(groups, groupMembers, partitions, free, unreleased);
  }

  void assertNoneLeft() {
    assertEquals(List.of(0, 0, 0, 0, 0), durableGauges());
    assertEquals(0, overdue);
  }

  @Override
  public void assigned() {
    assigned++;
  }

  @Override
  public void revoked() {
    revoked++;
  }

  @Override
  public void released() {
    released++;
  }

  @Override
  public void orphaned() {
    orphaned++;
  }

  @Override
  public void groups(int change) {
    groups += change;
  }

  @Override
  public void groupMembers(int change) {
    groupMembers += change;
  }

  @Override
  public void partitions(int change) {
    partitions += change;
  }

  @Override
  public void free(int change) {
    free += change;
  }

  @Override
  public void unreleased(int change) {
    unreleased += change;
  }

  @Override
  public void overdue(int change) {
    overdue += change;
  }
}
