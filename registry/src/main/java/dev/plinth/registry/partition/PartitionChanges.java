package dev.plinth.registry.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What one commit changed in a group, as watchers are told; each partition once. */
public final class PartitionChanges {
  private final int count;
  private final List<PartitionView> all;
  private final Map<String, List<PartitionView>> byOwner = new HashMap<>();

  /**
   * @param count of partitions that the group has; 0 if it ended
   * @param ownersBefore for each partition the name of the owner that it had; empty if none
   */
  PartitionChanges(int count, List<PartitionView> all, List<String> ownersBefore) {
    this.count = count;
    this.all = List.copyOf(all);
    for (int i = 0; i < all.size(); i++) {
      PartitionView now = all.get(i);
      add(now.owner(), now);
      if (!ownersBefore.get(i).equals(now.owner())) {
        add(ownersBefore.get(i), now);
      }
    }
  }

  private void add(String owner, PartitionView partition) {
    if (!owner.isEmpty()) {
      byOwner.computeIfAbsent(owner, made -> new ArrayList<>()).add(partition);
    }
  }

  public int count() {
    return count;
  }

  public List<PartitionView> all() {
    return all;
  }

  /** Those that the member of this name owns, or owned until then. */
  public List<PartitionView> of(String owner) {
    return byOwner.getOrDefault(owner, List.of());
  }

  /** About what it weighs in memory. */
  int bytes() {
    return 100 + all.stream().mapToInt(PartitionView::bytes).sum();
  }
}
