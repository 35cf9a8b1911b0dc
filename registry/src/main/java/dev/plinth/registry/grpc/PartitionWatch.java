package dev.plinth.registry.grpc;

import dev.plinth.registry.core.Members;
import dev.plinth.registry.partition.PartitionChanges;
import dev.plinth.registry.partition.PartitionGroupName;
import dev.plinth.registry.partition.PartitionView;
import dev.plinth.registry.v1.PartitionEvents;
import dev.plinth.registry.v1.PartitionSnapshot;
import dev.plinth.registry.v1.WatchPartitionsRequest;
import dev.plinth.registry.v1.WatchPartitionsResponse;
import dev.plinth.shards.Event;
import dev.plinth.shards.grpc.MessageParts;
import dev.plinth.shards.grpc.WatchedEvents;
import java.util.Iterator;
import java.util.List;

/** What one watch call sees: the partitions of a group, or those of one owner. */
final class PartitionWatch
    implements WatchedEvents<Members, PartitionWatch.Snapshot, WatchPartitionsResponse> {
  private final PartitionGroupName group;
  private final String owner;
  private final String path;

  /** The partitions that are watched, and how many the group has. */
  record Snapshot(int count, List<PartitionView> partitions) {}

  PartitionWatch(String namespace, WatchPartitionsRequest request) {
    this.group = PartitionWire.group(namespace, request.getGroup());
    this.owner = PartitionWire.anyOwner(request.getOwner());
    this.path = group.path();
  }

  @Override
  public Snapshot snapshot(Members members, long nanos) {
    return new Snapshot(
        members.partitions().count(group), members.partitions().snapshot(group, owner));
  }

  @Override
  public long bytes(Snapshot snapshot) {
    return snapshot.partitions().stream().mapToLong(PartitionView::bytes).sum();
  }

  @Override
  public Iterator<WatchPartitionsResponse.Builder> snapshot(Snapshot snapshot) {
    return new MessageParts<>(
        snapshot.partitions(),
        PartitionWire::watched,
        (part, more) ->
            WatchPartitionsResponse.newBuilder()
                .setSnapshot(
                    PartitionSnapshot.newBuilder()
                        .addAllPartitions(part)
                        .setMore(more)
                        .setPartitionCount(snapshot.count())));
  }

  @Override
  public List<WatchPartitionsResponse.Builder> events(List<Event> events) {
    return events.stream()
        .filter(this::isWatched)
        .map(event -> WatchPartitionsResponse.newBuilder().setEvents(message(event)))
        .toList();
  }

  private boolean isWatched(Event event) {
    return event.body() instanceof PartitionChanges changes
        && event.key().equals(path)
        && (owner.isEmpty() || changes.count() == 0 || !changes.of(owner).isEmpty());
  }

  /** The same for all who watch the whole group. */
  private PartitionEvents message(Event event) {
    if (owner.isEmpty()) {
      return event.as(PartitionEvents.class, body -> message((PartitionChanges) body, all(body)));
    }
    PartitionChanges changes = (PartitionChanges) event.body();
    return message(changes, changes.of(owner));
  }

  private static List<PartitionView> all(Object body) {
    return ((PartitionChanges) body).all();
  }

  private static PartitionEvents message(PartitionChanges changes, List<PartitionView> watched) {
    return PartitionEvents.newBuilder()
        .addAllPartitions(watched.stream().map(PartitionWire::watched).toList())
        .setPartitionCount(changes.count())
        .build();
  }
}
