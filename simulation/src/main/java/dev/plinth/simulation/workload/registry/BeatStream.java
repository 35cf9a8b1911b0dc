package dev.plinth.simulation.workload.registry;

import dev.plinth.registry.v1.KeepAliveRequest;
import dev.plinth.registry.v1.KeepAliveResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.simulation.workload.CallFailure;
import dev.plinth.simulation.workload.WireClient;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.Map;

/** The beats of a session on a stream, which is opened again at another node when it breaks. */
final class BeatStream {
  private static final int SILENT_BEATS = 3;

  private final WireClient client;
  private final MemberSessionClient session;
  private int node;

  BeatStream(WireClient client, MemberSessionClient session) {
    this.client = client;
    this.session = session;
    this.node = client.served();
  }

  void open() {
    if (!session.isOver()) {
      new Stream().start();
    }
  }

  private final class Stream implements StreamObserver<KeepAliveResponse> {
    private final Map<Long, Long> sent = new HashMap<>();
    private StreamObserver<KeepAliveRequest> beats;
    private long sequence;
    private boolean ended;

    void start() {
      client.log().count("beat streams");
      beats =
          ClientCalls.asyncBidiStreamingCall(
              client
                  .channel(node)
                  .newCall(RegistryServiceGrpc.getKeepAliveMethod(), CallOptions.DEFAULT),
              this);
      beat();
    }

    private void beat() {
      if (ended) {
        return;
      }
      if (session.isOver()) {
        ended = true;
        beats.onCompleted();
        return;
      }
      if (sent.size() >= SILENT_BEATS) {
        // Nothing comes back: as good as broken, and it may be that nobody else notices.
        beats.onError(Status.CANCELLED.asRuntimeException());
        broken();
        return;
      }
      client.log().count("beats");
      sent.put(++sequence, client.now());
      beats.onNext(
          KeepAliveRequest.newBuilder()
              .setNamespace(MemberClient.NAMESPACE)
              .setSessionId(session.id())
              .setIncarnation(session.incarnation())
              .setSeq(sequence)
              .build());
      session.later(this::beat);
    }

    @Override
    public void onNext(KeepAliveResponse answer) {
      Long asked = sent.remove(answer.getSeq());
      if (asked != null && !session.isOver()) {
        session.heard(asked);
      }
    }

    @Override
    public void onError(Throwable thrown) {
      CallFailure failure = CallFailure.of(thrown);
      if (failure.isRetried()) {
        broken();
      } else if (!ended) {
        ended = true;
        session.lost(failure);
      }
    }

    @Override
    public void onCompleted() {
      broken();
    }

    private void broken() {
      if (!ended) {
        ended = true;
        node = (node + 1) % client.nodes();
        client.after(client.random().nextInt(1, 50), BeatStream.this::open);
      }
    }
  }
}
