package dev.plinth.registry.grpc;

import dev.plinth.registry.core.BeatResult;
import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.SessionKeeper;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.registry.v1.KeepAliveRequest;
import dev.plinth.registry.v1.KeepAliveResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.StreamReply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.SynchronizedStreamObserver;
import io.grpc.stub.StreamObserver;

/** {@code KeepAlive}: beats one way, their answers and the session's end the other. */
final class KeepAliveStream implements StreamObserver<KeepAliveRequest> {
  private static final int BEATS_AHEAD = 16;

  private final ShardCalls<Members> calls;
  private final SynchronizedStreamObserver<KeepAliveResponse> to;
  private int shard;
  private SessionKey key;

  /** The caller has ended the stream in good order. */
  private volatile boolean completed;

  /** Only the shard's thread comes here. */
  private Keeper keeper;

  KeepAliveStream(ShardCalls<Members> calls, StreamObserver<KeepAliveResponse> to) {
    this.calls = calls;
    this.to = SynchronizedStreamObserver.reading(to, BEATS_AHEAD);
  }

  @Override
  public void onNext(KeepAliveRequest beat) {
    String namespace = FieldChecks.namespace(beat.getNamespace());
    SessionKey named = RegistryWire.session(namespace, beat.getSessionId(), beat.getIncarnation());
    if (key == null) {
      shard = calls.shardOf(namespace);
      key = named;
      listen();
    } else {
      sameAsFirst("namespace", namespace, key.namespace());
      sameAsFirst("session_id", named.id(), key.id());
      sameAsFirst("incarnation", named.incarnation(), key.incarnation());
    }
    calls.readInStream(
        shard,
        CommandPriority.URGENT,
        (members, tx, reply) ->
            reply.sendNow(answer(beat.getSeq(), members.sessions().beat(key, keeper, tx))),
        to);
  }

  private static void sameAsFirst(String field, Object value, Object first) {
    if (!value.equals(first)) {
      throw Failure.Invalid.field(field, value, "that of the stream's first message, " + first);
    }
  }

  private void listen() {
    // In the lane of beats: the first one finds its keeper.
    calls.stream(
        shard,
        CommandPriority.URGENT,
        (members, tx, streamReply) -> {
          Keeper made = new Keeper(streamReply);
          members.sessions().keep(key, made);
          keeper = made;
        },
        (members, tx, reply) -> {
          if (keeper != null) {
            if (completed) {
              members.sessions().leave(key, keeper);
            } else {
              members.sessions().broken(key, keeper, tx);
            }
          }
        },
        to);
  }

  private static KeepAliveResponse answer(long seq, BeatResult told) {
    return KeepAliveResponse.newBuilder()
        .setSeq(seq)
        .setTtl(FieldChecks.wire(told.ttl()))
        .setNextIn(FieldChecks.wire(told.nextIn()))
        .setMembers(told.members())
        .addAllLost(RegistryWire.lost(told.lost()))
        .setPresenceEpoch(told.presenceEpoch())
        .setPresences(told.presences())
        .build();
  }

  private record Keeper(StreamReply<KeepAliveResponse> streamReply) implements SessionKeeper {
    @Override
    public void ended(Tx tx) {
      streamReply.send(tx, KeepAliveResponse.newBuilder().setEnded(true).build());
      streamReply.complete(tx);
    }
  }

  @Override
  public void onError(Throwable thrown) {
    // The connection broke: what was set to happen then, happens.
  }

  @Override
  public void onCompleted() {
    completed = true;
    to.onCompleted();
  }
}
