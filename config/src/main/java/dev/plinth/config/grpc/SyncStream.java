package dev.plinth.config.grpc;

import dev.plinth.config.core.AgentAck;
import dev.plinth.config.core.AgentHello;
import dev.plinth.config.core.AgentLink;
import dev.plinth.config.core.AssignedRelease;
import dev.plinth.config.core.Configs;
import dev.plinth.config.v1.SyncRequest;
import dev.plinth.config.v1.SyncResponse;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Command;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.StreamReply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.grpc.ShardCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** {@code Sync}: a hello and acks one way, assignments and their content the other. */
final class SyncStream implements StreamObserver<SyncRequest> {
  private static final int MESSAGES_AHEAD = 16;

  private final ShardCalls<Configs> calls;
  private final ServerCallStreamObserver<SyncResponse> call;
  private final SyncResponses to;
  private int shard;
  private String namespace;
  private AgentHello hello;
  private boolean refused;

  /** Only the shard's thread comes here. */
  private Link link;

  SyncStream(ShardCalls<Configs> calls, StreamObserver<SyncResponse> to) {
    this.calls = calls;
    this.call = (ServerCallStreamObserver<SyncResponse>) to;
    this.to = new SyncResponses(call);
    call.disableAutoRequest();
    call.request(MESSAGES_AHEAD);
  }

  /** A refusal ends the stream in its turn, behind what is being sent. */
  @Override
  public void onNext(SyncRequest message) {
    if (refused) {
      return;
    }
    try {
      receive(message);
    } catch (Failure refusal) {
      refused = true;
      to.onError(refusal);
    }
  }

  private void receive(SyncRequest message) {
    String of = FieldChecks.namespace(message.getNamespace());
    if (hello == null) {
      if (!message.hasHello()) {
        throw Failure.Invalid.field("body", message.getBodyCase(), "a hello first");
      }
      hello = AgentFields.hello(of, message.getHello());
      namespace = of;
      shard = calls.shardOf(of);
      connect();
      call.request(1);
      return;
    }
    if (!of.equals(namespace)) {
      throw Failure.Invalid.field("namespace", of, "that of the hello, " + namespace);
    }
    if (!message.hasAck()) {
      throw Failure.Invalid.field("body", message.getBodyCase(), "an ack after the hello");
    }
    AgentAck ack = AgentFields.ack(message.getAck());
    take(
        (configs, tx, reply) ->
            configs.agents().ack(namespace, hello.identity().name(), link, ack, tx));
  }

  private void connect() {
    calls.stream(
        shard,
        CommandPriority.NORMAL,
        (configs, tx, streamReply) -> {
          Link made = new Link(streamReply);
          configs.agents().connect(namespace, hello, made, tx);
          link = made;
        },
        (configs, tx, reply) -> disconnect(configs, tx),
        to);
  }

  private void disconnect(Configs configs, Tx tx) {
    if (link != null) {
      configs.agents().disconnect(namespace, hello.identity().name(), link, tx);
    }
  }

  /** Of messages that the shard has not taken yet, there are few. */
  private void take(Command<Configs, Void> command) {
    calls
        .takeInStream(shard, command)
        .whenComplete(
            (taken, thrown) -> {
              if (thrown == null) {
                call.request(1);
              } else {
                to.onError(thrown);
              }
            });
  }

  private record Link(StreamReply<Iterator<SyncResponse>> streamReply) implements AgentLink {
    @Override
    public void assign(AssignedRelease release, Tx tx) {
      streamReply.send(tx, SyncWire.messages(release));
    }

    @Override
    public void unassigned(List<String> configs, Tx tx) {
      streamReply.send(tx, List.of(SyncWire.unassigned(configs)).iterator());
    }

    @Override
    public void bookmark(Tx tx) {
      streamReply.send(tx, List.of(SyncWire.BOOKMARK).iterator());
    }

    @Override
    public void replaced(Tx tx) {
      streamReply.fail(
          tx,
          new Failure.Forbidden(
              ErrorReason.ERROR_REASON_AGENT_REPLACED,
              "stream",
              "another stream of the same agent took the place of this one",
              Map.of()));
    }
  }

  @Override
  public void onError(Throwable thrown) {
    // The connection broke: what was set to happen then, happens.
  }

  /** The agent says nothing more: it gets what was decided until now, and that is all. */
  @Override
  public void onCompleted() {
    if (hello == null) {
      to.onCompleted();
      return;
    }
    calls.takeInStream(
        shard,
        (configs, tx, reply) -> {
          if (link != null) {
            disconnect(configs, tx);
            link.streamReply().complete(tx);
          }
        });
  }
}
