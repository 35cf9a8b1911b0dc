package dev.plinth.registry.partition;

import java.util.Comparator;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The members of a group that take work, by how many partitions each keeps. It says who gets the
 * next partition and who is to give one. Whoever gives is always one with the most, so no more are
 * moved than balance needs; whoever gets has the fewest, so nobody gives what it just got. There
 * are few different numbers, since they add up to the group's partitions at most.
 */
final class PartitionBalance {
  private final int partitions;
  private final TreeMap<Integer, TreeSet<PartitionMember>> byKept = new TreeMap<>();
  private int members;

  PartitionBalance(int partitions) {
    this.partitions = partitions;
  }

  void add(PartitionMember member) {
    byKept
        .computeIfAbsent(
            member.kept.size(),
            made -> new TreeSet<>(Comparator.comparingLong(PartitionMember::id)))
        .add(member);
    members++;
  }

  /** Before what it keeps changes. */
  void remove(PartitionMember member) {
    TreeSet<PartitionMember> equals = byKept.get(member.kept.size());
    equals.remove(member);
    if (equals.isEmpty()) {
      byKept.remove(member.kept.size());
    }
    members--;
  }

  boolean isEmpty() {
    return members == 0;
  }

  /** One with the fewest: who joined first. */
  PartitionMember fewest() {
    return byKept.firstEntry().getValue().first();
  }

  /** One with the most: who joined last. */
  PartitionMember most() {
    return byKept.lastEntry().getValue().last();
  }

  /**
   * Whether one with the most is to give a partition: of n members that share p, p mod n may have
   * one more than the others.
   */
  boolean isUneven() {
    if (members == 0) {
      return false;
    }
    int share = partitions / members;
    int withMore = byKept.tailMap(share, false).values().stream().mapToInt(TreeSet::size).sum();
    return byKept.lastKey() > share + 1 || withMore > partitions % members;
  }
}
