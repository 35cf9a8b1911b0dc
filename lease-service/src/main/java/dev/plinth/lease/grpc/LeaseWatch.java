package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseChange;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.v1.Lease;
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
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

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
    return to.sendParts(new SnapshotParts(((Snapshot) content).leases, token(revision)));
  }

  /** What the core hands over as a snapshot. */
  record Snapshot(List<LeaseView> leases) {}

  /** A snapshot as messages that any client takes; only the last says where to go on. */
  private static final class SnapshotParts implements Iterator<WatchResponse> {
    private final Iterator<LeaseView> leases;
    private final String token;
    private boolean done;

    SnapshotParts(List<LeaseView> leases, String token) {
      this.leases = leases.iterator();
      this.token = token;
    }

    @Override
    public boolean hasNext() {
      return !done;
    }

    @Override
    public WatchResponse next() {
      if (done) {
        throw new NoSuchElementException();
      }
      WatchSnapshot.Builder part = WatchSnapshot.newBuilder();
      int bytes = 0;
      while (bytes < WatchStream.MAX_BYTES && leases.hasNext()) {
        Lease lease = LeaseWire.lease(leases.next());
        bytes += lease.getSerializedSize();
        part.addLeases(lease);
      }
      done = !leases.hasNext();
      return WatchResponse.newBuilder()
          .setSnapshot(part.setMore(!done))
          .setResumeToken(done ? token : "")
          .build();
    }
  }

  @Override
  public boolean events(long revision, List<Event> events) {
    WatchEvents.Builder wanted = WatchEvents.newBuilder();
    int bytes = 0;
    for (Event event : events) {
      if (event.key().startsWith(path) && event.body() instanceof LeaseChange) {
        if (bytes >= WatchStream.MAX_BYTES) {
          // Whoever resumes does so after the whole commit, so only its last message says where.
          if (!to.send(WatchResponse.newBuilder().setEvents(wanted).build())) {
            return false;
          }
          wanted.clear();
          bytes = 0;
        }
        WatchEvent message = event.as(WatchEvent.class, LeaseWatch::event);
        bytes += message.getSerializedSize();
        wanted.addEvents(message);
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
  public boolean isGone() {
    return to.isGone();
  }

  @Override
  public void end(Failure why) {
    to.end(why);
  }

  private boolean send(long revision, WatchResponse.Builder message) {
    return to.send(message.setResumeToken(token(revision)).build());
  }

  private String token(long revision) {
    return new ResumeToken(shard, revision).text();
  }

  private static WatchEvent event(Object body) {
    LeaseChange change = (LeaseChange) body;
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
