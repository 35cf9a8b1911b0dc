package dev.plinth.registry.grpc;

import dev.plinth.registry.core.LabelFilter;
import dev.plinth.registry.core.MemberChange;
import dev.plinth.registry.core.MemberView;
import dev.plinth.registry.core.Members;
import dev.plinth.registry.v1.MemberEvent;
import dev.plinth.registry.v1.MemberEvents;
import dev.plinth.registry.v1.MemberSnapshot;
import dev.plinth.registry.v1.WatchMembersRequest;
import dev.plinth.registry.v1.WatchMembersResponse;
import dev.plinth.server.call.WireEnum;
import dev.plinth.shards.Event;
import dev.plinth.shards.grpc.MessageParts;
import dev.plinth.shards.grpc.WatchedEvents;
import java.util.Iterator;
import java.util.List;

/** What one watch call sees: the members of one group, or of all, whose labels fit. */
final class MemberWatch
    implements WatchedEvents<Members, MemberWatch.Content, WatchMembersResponse> {
  /** Who is there, with the checksum of all where nobody is left out. */
  record Content(List<MemberView> members, long checksum) {}

  private static final WireEnum<MemberChange.Type, MemberEvent.Type> TYPES =
      new WireEnum<>(MemberChange.Type.class, MemberEvent.Type.class, "TYPE_");

  private final String namespace;
  private final String group;
  private final List<LabelFilter> filters;
  private final String path;

  MemberWatch(String namespace, WatchMembersRequest request) {
    this.namespace = namespace;
    this.group = RegistryWire.anyGroup(request.getGroup());
    this.filters = RegistryWire.filters(request.getFiltersList());
    this.path = namespace + "/" + (group.isEmpty() ? "" : group + "/");
  }

  @Override
  public Content snapshot(Members members, long nanos) {
    return new Content(
        members.snapshot(namespace, group, filters), members.checksum(namespace, group));
  }

  @Override
  public long bytes(Content content) {
    return content.members().stream().mapToLong(MemberView::bytes).sum();
  }

  @Override
  public Iterator<WatchMembersResponse.Builder> snapshot(Content content) {
    return new MessageParts<>(
        content.members(),
        member -> RegistryWire.member(member).toBuilder().clearExpiryHeld().build(),
        (part, more) ->
            response(more, content.checksum())
                .setSnapshot(MemberSnapshot.newBuilder().addAllMembers(part).setMore(more)));
  }

  @Override
  public List<WatchMembersResponse.Builder> events(List<Event> events) {
    List<Event> watched = events.stream().filter(this::isWatched).toList();
    return MessageParts.listOf(
        watched,
        this::message,
        (part, more) ->
            response(more, more ? 0 : checksumAfter(watched.get(watched.size() - 1)))
                .setEvents(MemberEvents.newBuilder().addAllEvents(part)));
  }

  private long checksumAfter(Event last) {
    MemberChange.Checksums checksums = ((MemberChange) last.body()).checksums();
    return group.isEmpty() ? checksums.namespace() : checksums.group();
  }

  /** With filters there is no checksum: it is of all members. */
  private WatchMembersResponse.Builder response(boolean more, long checksum) {
    WatchMembersResponse.Builder response = WatchMembersResponse.newBuilder();
    return more || !filters.isEmpty() ? response : response.setChecksum(checksum);
  }

  private boolean isWatched(Event event) {
    return event.key().startsWith(path)
        && event.body() instanceof MemberChange change
        && (fits(change) || LabelFilter.all(filters, change.labelsBefore()));
  }

  private boolean fits(MemberChange change) {
    return LabelFilter.all(filters, change.member().attributes().labels());
  }

  /** The same for all watchers, but for those that the member no longer concerns. */
  private MemberEvent message(Event event) {
    MemberEvent made = event.as(MemberEvent.class, MemberWatch::event);
    return fits((MemberChange) event.body())
        ? made
        : made.toBuilder().setType(MemberEvent.Type.TYPE_UNMATCHED).build();
  }

  private static MemberEvent event(Object body) {
    MemberChange change = (MemberChange) body;
    return MemberEvent.newBuilder()
        .setType(TYPES.of(change.type()))
        .setMember(RegistryWire.member(change.member()).toBuilder().clearExpiryHeld())
        .build();
  }
}
