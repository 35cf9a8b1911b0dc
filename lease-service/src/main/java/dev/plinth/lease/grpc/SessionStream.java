package dev.plinth.lease.grpc;

import dev.plinth.lease.core.HoldEvent;
import dev.plinth.lease.core.HoldListener;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.SessionView;
import dev.plinth.lease.v1.HoldState;
import dev.plinth.lease.v1.KeepSessionRequest;
import dev.plinth.lease.v1.KeepSessionResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.StreamReply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.SynchronizedStreamObserver;
import io.grpc.stub.StreamObserver;

/** {@code KeepSession}: beats one way, their answers and the session's dangers the other. */
final class SessionStream implements StreamObserver<KeepSessionRequest> {
  private static final int BEATS_AHEAD = 16;

  private final ShardCalls<Leases> calls;
  private final SynchronizedStreamObserver<KeepSessionResponse> to;
  private int shard;
  private String namespace;
  private String id;

  /** Only the shard's thread comes here. */
  private Keeper keeper;

  SessionStream(ShardCalls<Leases> calls, StreamObserver<KeepSessionResponse> to) {
    this.calls = calls;
    this.to = SynchronizedStreamObserver.reading(to, BEATS_AHEAD);
  }

  @Override
  public void onNext(KeepSessionRequest beat) {
    String inNamespace = FieldChecks.namespace(beat.getNamespace());
    String session = LeaseWire.session(beat.getSessionId());
    if (id == null) {
      shard = calls.shardOf(inNamespace);
      namespace = inNamespace;
      id = session;
      listen();
    } else {
      sameAsFirst("namespace", inNamespace, namespace);
      sameAsFirst("session_id", session, id);
    }
    calls.readInStream(
        shard,
        CommandPriority.URGENT,
        (leases, tx, reply) ->
            reply.sendNow(answer(beat.getSeq(), leases.sessions().heartbeat(namespace, id, tx))),
        to);
  }

  private static void sameAsFirst(String field, String value, String first) {
    if (!value.equals(first)) {
      throw Failure.Invalid.field(
          field, '"' + value + '"', "that of the stream's first message, \"" + first + '"');
    }
  }

  private void listen() {
    // In the lane of beats and of CloseSession: a session that was beaten for is not closed before
    // its stream listens.
    calls.stream(
        shard,
        CommandPriority.URGENT,
        (leases, tx, streamReply) -> {
          keeper = new Keeper(streamReply);
          leases.sessions().keep(namespace, id, keeper, tx);
        },
        (leases, tx, reply) -> {
          if (keeper != null) {
            leases.sessions().leave(namespace, id, keeper);
          }
        },
        to);
  }

  private static KeepSessionResponse answer(long seq, SessionView session) {
    return KeepSessionResponse.newBuilder()
        .setSeq(seq)
        .setTtl(FieldChecks.wire(session.ttl()))
        .setState(HoldState.HOLD_STATE_SAFE)
        .setNextIn(FieldChecks.wire(session.heartbeatInterval()))
        .addAllReleaseAsks(LeaseWire.releaseNotices(session.held()))
        .build();
  }

  private record Keeper(StreamReply<KeepSessionResponse> streamReply) implements HoldListener {
    @Override
    public void onEvent(HoldEvent holdEvent, Tx tx) {
      KeepSessionResponse.Builder message = KeepSessionResponse.newBuilder();
      if (holdEvent instanceof HoldEvent.Jeopardy danger) {
        message.setState(HoldState.HOLD_STATE_JEOPARDY).setLeft(FieldChecks.wire(danger.left()));
      } else if (holdEvent instanceof HoldEvent.Asked asked) {
        message
            .setState(HoldState.HOLD_STATE_SAFE)
            .addReleaseAsks(LeaseWire.releaseNotice(asked.lease()).orElseThrow());
      } else if (holdEvent instanceof HoldEvent.Lost lost) {
        message
            .setState(HoldState.HOLD_STATE_LOST)
            .setCause(LeaseWire.CAUSES.of(lost.holdEnd().cause()));
      } else {
        return; // that it is safe again, the answer to the beat says
      }
      streamReply.send(tx, message.build());
      if (holdEvent instanceof HoldEvent.Lost) {
        streamReply.complete(tx);
      }
    }

    @Override
    public boolean isGone() {
      return streamReply.isAbandoned();
    }
  }

  @Override
  public void onError(Throwable thrown) {
    // The connection broke; the session lives on until its ttl, for the client to come back.
  }

  @Override
  public void onCompleted() {
    to.onCompleted();
  }
}
