package dev.plinth.registry.grpc;

import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.PresenceNews;
import dev.plinth.registry.core.PresenceNews.Position;
import dev.plinth.registry.core.PresenceSubscription;
import dev.plinth.registry.core.PresenceView;
import dev.plinth.registry.core.PresenceWatcher;
import dev.plinth.registry.v1.Presence;
import dev.plinth.registry.v1.PresenceDiff;
import dev.plinth.registry.v1.PresenceGap;
import dev.plinth.registry.v1.PresenceProgress;
import dev.plinth.registry.v1.PresenceSnapshot;
import dev.plinth.registry.v1.WatchPresenceRequest;
import dev.plinth.registry.v1.WatchPresenceResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.grpc.MessageParts;
import dev.plinth.shards.grpc.ShardCall;
import dev.plinth.shards.grpc.WatchStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One call that watches a room: the core's news as messages. */
final class PresenceWatch implements PresenceWatcher {
  private final PresenceToken token;
  private final WatchStream<WatchPresenceResponse> to;

  /** Only the shard's thread comes here. */
  private PresenceSubscription subscription;

  private PresenceWatch(PresenceToken token, WatchStream<WatchPresenceResponse> to) {
    this.token = token;
    this.to = to;
  }

  static void start(ShardCall<Members, WatchPresenceRequest, WatchPresenceResponse> call) {
    String namespace = call.namespace();
    String room = PresenceWire.room(call.request().getRoom());
    PresenceToken token = new PresenceToken(namespace, room);
    Optional<Position> after = token.parse(call.request().getResumeToken());
    WatchStream<WatchPresenceResponse> stream = call.watchStream();
    PresenceWatch watch = new PresenceWatch(token, stream);
    boolean countOnly = call.request().getCountOnly();
    call.feed(
        stream,
        (members, tx) ->
            watch.subscription =
                countOnly
                    ? members.presences().watchCount(namespace, room, watch, tx)
                    : members.presences().watch(namespace, room, watch, after, tx),
        (members, tx, reply) -> {
          if (watch.subscription != null) {
            watch.subscription.leave(tx);
          }
        });
  }

  @Override
  public boolean tell(PresenceNews news) {
    if (news instanceof PresenceNews.Diff diff) {
      return diff.encoded().messages(() -> messages(diff)).stream().allMatch(to::send);
    }
    if (news instanceof PresenceNews.Snapshot snapshot) {
      return to.sendParts(snapshot.bytes(), parts(snapshot));
    }
    return to.send(message(news));
  }

  @Override
  public void end(Failure why) {
    to.end(why);
  }

  private MessageParts<PresenceView, Presence, WatchPresenceResponse> parts(
      PresenceNews.Snapshot snapshot) {
    return new MessageParts<>(
        snapshot.devices(),
        PresenceWire::presence,
        (part, more) ->
            response(more ? Optional.empty() : Optional.of(snapshot.at()), snapshot.incompleteFor())
                .setSnapshot(PresenceSnapshot.newBuilder().addAllPresences(part).setMore(more))
                .build());
  }

  /** The same for all watchers of the room. */
  private List<WatchPresenceResponse> messages(PresenceNews.Diff diff) {
    List<PresenceDiff> all = new ArrayList<>();
    diff.leaves().forEach(view -> all.add(one().addLeaves(PresenceWire.presence(view)).build()));
    diff.joins().forEach(view -> all.add(one().addJoins(PresenceWire.presence(view)).build()));
    diff.changes().forEach(view -> all.add(one().addChanges(PresenceWire.presence(view)).build()));
    return MessageParts.listOf(
        all,
        change -> change,
        (part, more) -> {
          PresenceDiff.Builder joined = one().setMore(more);
          part.forEach(joined::mergeFrom);
          return response(more ? Optional.empty() : Optional.of(diff.at()), diff.incompleteFor())
              .setDiff(joined)
              .build();
        });
  }

  private static PresenceDiff.Builder one() {
    return PresenceDiff.newBuilder();
  }

  private WatchPresenceResponse message(PresenceNews news) {
    if (news instanceof PresenceNews.Count count) {
      return response(Optional.empty(), count.incompleteFor())
          .setCount(PresenceWire.count(count))
          .build();
    }
    if (news instanceof PresenceNews.Progress progress) {
      return response(progress.at(), progress.incompleteFor())
          .setProgress(PresenceProgress.getDefaultInstance())
          .build();
    }
    return WatchPresenceResponse.newBuilder().setGap(PresenceGap.getDefaultInstance()).build();
  }

  private WatchPresenceResponse.Builder response(
      Optional<Position> at, Optional<Duration> incompleteFor) {
    WatchPresenceResponse.Builder response = WatchPresenceResponse.newBuilder();
    at.ifPresent(
        position -> response.setResumeToken(token.text(position)).setChecksum(position.checksum()));
    incompleteFor.map(FieldChecks::wire).ifPresent(response::setIncompleteFor);
    return response;
  }
}
