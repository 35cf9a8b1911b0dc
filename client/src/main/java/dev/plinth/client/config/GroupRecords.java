package dev.plinth.client.config;

import dev.plinth.config.v1.Ack;
import dev.plinth.config.v1.Have;
import dev.plinth.config.v1.HeldSnapshot;
import dev.plinth.config.v1.Snapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What an agent has of each group, and how far it is. On the event loop, but for the counts. */
final class GroupRecords {
  /** What is to be done with an assignment. */
  enum Order {
    NEW,
    SAME,
    BEING_APPLIED,
    OLDER
  }

  private static final class GroupRecord {
    ConfigGroup applied;
    GroupPosition latest = GroupPosition.NONE;
    Set<String> latestConfigs = Set.of();
    GroupPosition rejected = GroupPosition.NONE;
    Ack lastAck;
  }

  private final Map<String, GroupRecord> records = new TreeMap<>();
  private final Map<String, String> rejections = new ConcurrentHashMap<>();
  private final AtomicLong outOfOrder = new AtomicLong();

  private GroupRecord of(ConfigGroup group) {
    return records.computeIfAbsent(group.group(), name -> new GroupRecord());
  }

  /** Also counts one that is older. */
  Order receive(ConfigGroup group) {
    GroupRecord known = of(group);
    int order = group.position().compareTo(known.latest);
    if (order < 0) {
      outOfOrder.incrementAndGet();
      return Order.OLDER;
    }
    Set<String> configs = group.snapshots().keySet();
    if (order == 0 && known.latestConfigs.containsAll(configs)) {
      boolean acked =
          known.lastAck != null && known.lastAck.getGeneration() == known.latest.generation();
      return acked ? Order.SAME : Order.BEING_APPLIED;
    }
    known.latest = group.position();
    known.latestConfigs = configs;
    return Order.NEW;
  }

  void applied(ConfigGroup group) {
    GroupRecord known = of(group);
    known.applied = group;
    if (known.latest.compareTo(group.position()) <= 0) {
      known.latest = group.position();
      known.latestConfigs = group.snapshots().keySet();
    }
    rejections.remove(group.group());
  }

  void rejected(ConfigGroup group, String why) {
    of(group).rejected = group.position();
    rejections.put(group.group(), why);
  }

  void acked(Ack ack) {
    records.get(ack.getGroup()).lastAck = ack;
  }

  Optional<Ack> lastAck(String group) {
    return Optional.ofNullable(records.get(group)).map(known -> known.lastAck);
  }

  /** Null if nothing. */
  ConfigGroup held(String group) {
    GroupRecord known = records.get(group);
    return known == null ? null : known.applied;
  }

  long outOfOrder() {
    return outOfOrder.get();
  }

  Map<String, String> rejections() {
    return new HashMap<>(rejections);
  }

  List<Have> have() {
    return records.entrySet().stream().map(each -> have(each.getKey(), each.getValue())).toList();
  }

  private static Have have(String group, GroupRecord known) {
    Have.Builder have =
        Have.newBuilder()
            .setGroup(group)
            .setRejectedEpoch(known.rejected.epoch())
            .setRejectedGeneration(known.rejected.generation());
    if (known.applied != null) {
      have.setEpoch(known.applied.position().epoch())
          .setGeneration(known.applied.position().generation());
      for (Snapshot snapshot : known.applied.assignment().getSnapshotsList()) {
        have.addSnapshots(
            HeldSnapshot.newBuilder()
                .setConfig(snapshot.getConfig())
                .setSha256(snapshot.getSha256()));
      }
    }
    return have.build();
  }
}
