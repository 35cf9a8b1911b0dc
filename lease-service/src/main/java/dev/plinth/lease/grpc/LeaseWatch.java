package dev.plinth.lease.grpc;

import dev.plinth.lease.core.HoldEndCause;
import dev.plinth.lease.core.LeaseChange;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.WatchEvent;
import dev.plinth.lease.v1.WatchEvents;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.lease.v1.WatchSnapshot;
import dev.plinth.server.call.WireEnum;
import dev.plinth.shards.Event;
import dev.plinth.shards.grpc.MessageParts;
import dev.plinth.shards.grpc.WatchedEvents;
import java.util.Iterator;
import java.util.List;

/** What one watch call sees: the leases of one namespace whose keys begin with a prefix. */
final class LeaseWatch implements WatchedEvents<Leases, List<LeaseView>, WatchResponse> {
  private static final WireEnum<HoldEndCause, WatchEvent.Type> ENDED =
      new WireEnum<>(HoldEndCause.class, WatchEvent.Type.class, "TYPE_");

  /** Of one view, whose names and payload are those of the lease. */
  private static final long VIEW_BYTES = 256;

  private final String namespace;
  private final String prefix;
  private final String path;

  LeaseWatch(String namespace, WatchRequest request) {
    this.namespace = namespace;
    this.prefix = LeaseWire.prefix(request.getKeyPrefix());
    this.path = namespace + "/" + prefix;
  }

  @Override
  public List<LeaseView> snapshot(Leases leases, long nanos) {
    return leases.snapshot(namespace, prefix, nanos);
  }

  @Override
  public long bytes(List<LeaseView> leases) {
    return leases.size() * VIEW_BYTES;
  }

  @Override
  public Iterator<WatchResponse.Builder> snapshot(List<LeaseView> leases) {
    return new MessageParts<>(
        leases,
        LeaseWire::lease,
        (part, more) ->
            WatchResponse.newBuilder()
                .setSnapshot(WatchSnapshot.newBuilder().addAllLeases(part).setMore(more)));
  }

  @Override
  public List<WatchResponse.Builder> events(List<Event> events) {
    return MessageParts.listOf(
        events.stream()
            .filter(event -> event.key().startsWith(path) && event.body() instanceof LeaseChange)
            .toList(),
        event -> event.as(WatchEvent.class, LeaseWatch::event),
        (part, more) ->
            WatchResponse.newBuilder().setEvents(WatchEvents.newBuilder().addAllEvents(part)));
  }

  private static WatchEvent event(Object body) {
    LeaseChange change = (LeaseChange) body;
    WatchEvent.Type type =
        switch (change.type()) {
          case GRANTED -> WatchEvent.Type.TYPE_GRANTED;
          case CHANGED, PAYLOAD_CHANGED -> WatchEvent.Type.TYPE_CHANGED;
          case ENDED -> ENDED.of(change.ended().orElseThrow());
        };
    return WatchEvent.newBuilder().setType(type).setLease(LeaseWire.lease(change.lease())).build();
  }
}
