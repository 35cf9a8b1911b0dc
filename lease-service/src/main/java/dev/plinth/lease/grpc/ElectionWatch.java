package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseChange;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ObserveResponse;
import dev.plinth.lease.v1.ObserveResponse.Gap;
import dev.plinth.lease.v1.ObserveResponse.NoLeader;
import dev.plinth.lease.v1.ObserveResponse.Progress;
import dev.plinth.lease.v1.ObserveResponse.Snapshot;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Event;
import dev.plinth.shards.Watcher;
import dev.plinth.shards.grpc.ResumeToken;
import dev.plinth.shards.grpc.WatchStream;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One Observe call: the shard's events of one election, each a message of its own. */
final class ElectionWatch implements Watcher {
  private final int shard;
  private final String path;
  private final WatchStream<ObserveResponse> to;
  // The value that was told last: a hold also changes in ways that are no news of its value.
  private long token;
  private long version;

  ElectionWatch(int shard, String path, ServerCallStreamObserver<ObserveResponse> to) {
    this.shard = shard;
    this.path = path;
    this.to = new WatchStream<>(to);
  }

  /** What the core hands over as a snapshot. */
  record Standing(Optional<LeaseView> leader, long term) {}

  @Override
  public boolean snapshot(long revision, Object content) {
    Standing now = (Standing) content;
    Snapshot.Builder snapshot = Snapshot.newBuilder().setTerm(now.term());
    now.leader().ifPresent(this::isNewValue);
    now.leader().map(ElectionWire::leader).ifPresent(snapshot::setLeader);
    return send(revision, ObserveResponse.newBuilder().setSnapshot(snapshot));
  }

  @Override
  public boolean events(long revision, List<Event> events) {
    List<ObserveResponse.Builder> messages = new ArrayList<>();
    for (Event event : events) {
      if (event.key().equals(path)
          && event.body() instanceof LeaseChange change
          && isNewTerm(change)) {
        messages.add(message(event, change));
      }
    }
    for (int i = 0; i < messages.size(); i++) {
      boolean last = i == messages.size() - 1;
      // Whoever resumes does so after the whole commit, so only its last message says where.
      if (!(last ? send(revision, messages.get(i)) : to.send(messages.get(i).build()))) {
        return false;
      }
    }
    return true;
  }

  private boolean isNewTerm(LeaseChange change) {
    boolean newValue = isNewValue(change.lease());
    return newValue || change.type() != LeaseChange.Type.CHANGED;
  }

  private boolean isNewValue(LeaseView lease) {
    boolean isNew = lease.token() != token || lease.payloadVersion() != version;
    token = lease.token();
    version = lease.payloadVersion();
    return isNew;
  }

  private static ObserveResponse.Builder message(Event event, LeaseChange change) {
    ObserveResponse.Builder message = ObserveResponse.newBuilder();
    return switch (change.type()) {
      case GRANTED -> message.setLeader(leader(event));
      case CHANGED -> message.setValue(leader(event));
      case ENDED ->
          message.setNoLeader(
              NoLeader.newBuilder()
                  .setTerm(change.lease().term())
                  .setCause(LeaseWire.cause(change.ended().orElseThrow())));
    };
  }

  private static Leader leader(Event event) {
    return event.as(Leader.class, change -> ElectionWire.leader(((LeaseChange) change).lease()));
  }

  @Override
  public boolean progress(long revision) {
    return send(revision, ObserveResponse.newBuilder().setProgress(Progress.getDefaultInstance()));
  }

  @Override
  public boolean gap(long oldestRevision) {
    // Without a resume token: whoever went on from here would never see the snapshot.
    return to.send(ObserveResponse.newBuilder().setGap(Gap.getDefaultInstance()).build());
  }

  @Override
  public boolean isGone() {
    return to.isGone();
  }

  @Override
  public void end(Failure why) {
    to.end(why);
  }

  private boolean send(long revision, ObserveResponse.Builder message) {
    return to.send(message.setResumeToken(new ResumeToken(shard, revision).text()).build());
  }
}
