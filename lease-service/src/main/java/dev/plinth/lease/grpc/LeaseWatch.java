package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseChange;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.v1.WatchEvent;
import dev.plinth.lease.v1.WatchEvents;
import dev.plinth.lease.v1.WatchGap;
import dev.plinth.lease.v1.WatchProgress;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.lease.v1.WatchSnapshot;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Event;
import dev.plinth.shards.Watcher;
import dev.plinth.shards.grpc.ResumeToken;
import dev.plinth.shards.grpc.WatchStream;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;

/** One watch call: the shard's events of one namespace and prefix, as messages. */
final class LeaseWatch implements Watcher {
  private final int shard;
  private final String path;
  private final WatchStream<WatchResponse> to;

  LeaseWatch(int shard, String path, ServerCallStreamObserver<WatchResponse> to) {
    this.shard = shard;
    this.path = path;
    this.to = new WatchStream<>(to);
  }

  @Override
  public boolean snapshot(long revision, Object content) {
    List<LeaseView> leases = ((Snapshot) content).leases;
    WatchSnapshot snapshot =
        WatchSnapshot.newBuilder().addAllLeases(LeaseWire.leases(leases)).build();
    return send(revision, WatchResponse.newBuilder().setSnapshot(snapshot));
  }

  /** What the core hands over as a snapshot. */
  record Snapshot(List<LeaseView> leases) {}

  @Override
  public boolean events(long revision, List<Event> events) {
    WatchEvents.Builder wanted = WatchEvents.newBuilder();
    for (Event event : events) {
      if (event.key().startsWith(path) && event.body() instanceof LeaseChange change) {
        wanted.addEvents(event(change));
      }
    }
    return wanted.getEventsCount() == 0
        || send(revision, WatchResponse.newBuilder().setEvents(wanted));
  }

  @Override
  public boolean progress(long revision) {
    return send(
        revision, WatchResponse.newBuilder().setProgress(WatchProgress.getDefaultInstance()));
  }

  @Override
  public boolean gap(long oldestRevision) {
    // Without a resume token: whoever went on from here would never see the snapshot.
    return to.send(WatchResponse.newBuilder().setGap(WatchGap.getDefaultInstance()).build());
  }

  @Override
  public void end(Failure why) {
    to.end(why);
  }

  private boolean send(long revision, WatchResponse.Builder message) {
    return to.send(message.setResumeToken(new ResumeToken(shard, revision).text()).build());
  }

  private static WatchEvent event(LeaseChange change) {
    return WatchEvent.newBuilder()
        .setType(type(change))
        .setLease(LeaseWire.lease(change.lease()))
        .build();
  }

  private static WatchEvent.Type type(LeaseChange change) {
    return switch (change.type()) {
      case GRANTED -> WatchEvent.Type.TYPE_GRANTED;
      case CHANGED -> WatchEvent.Type.TYPE_CHANGED;
      case ENDED ->
          switch (change.ended().orElseThrow()) {
            case RELEASED -> WatchEvent.Type.TYPE_RELEASED;
            case EXPIRED -> WatchEvent.Type.TYPE_EXPIRED;
            case CLOSED -> WatchEvent.Type.TYPE_CLOSED;
            case FORCED -> WatchEvent.Type.TYPE_FORCED;
            case TRANSFERRED -> WatchEvent.Type.TYPE_TRANSFERRED;
          };
    };
  }
}
