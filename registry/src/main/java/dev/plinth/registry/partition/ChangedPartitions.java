package dev.plinth.registry.partition;

import dev.plinth.shards.Event;
import dev.plinth.shards.Tx;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one transaction changes in a group, so that each partition is one row of it. */
final class ChangedPartitions {
  private final PartitionGroupName group;

  /** With the names of the owners before. */
  private final Map<Partition, String> ownersBefore = new LinkedHashMap<>();

  ChangedPartitions(PartitionGroupName group) {
    this.group = group;
  }

  /** It is about to change. */
  void add(Partition partition) {
    ownersBefore.putIfAbsent(partition, partition.ownerName());
  }

  /** Whether another one is more than a commit should have. */
  boolean isFull(Partition next, Tx tx) {
    return !ownersBefore.containsKey(next)
        && tx.writes() + ownersBefore.size() >= PartitionGroup.MAX_WRITES;
  }

  /**
   * Each as it is now, and one event of all.
   *
   * @param count of partitions that the group has; 0 if it ended
   */
  void store(int count, Tx tx) {
    List<PartitionView> views = new ArrayList<>();
    for (Partition partition : ownersBefore.keySet()) {
      String key = PartitionRows.keyOf(group, partition);
      if (partition.owner == null) {
        tx.delete(key);
      } else {
        tx.put(key, PartitionRows.encode(partition));
      }
      views.add(partition.view());
    }
    if (count == 0 || !views.isEmpty()) {
      PartitionChanges told =
          new PartitionChanges(count, views, List.copyOf(ownersBefore.values()));
      tx.emit(new Event(group.path(), told, told.bytes()));
    }
    ownersBefore.clear();
  }
}
