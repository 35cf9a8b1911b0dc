package dev.plinth.shards.grpc;

import dev.plinth.server.call.FailureAnswers;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/**
 * A stream that several threads may write to and end. The first end counts; what comes after it, or
 * after the caller has gone, is dropped.
 */
public final class SerialStream<M> implements StreamObserver<M> {
  private final ServerCallStreamObserver<M> to;
  private boolean ended;

  /** Made before the service's method returns, as gRPC takes no handler later. */
  public SerialStream(StreamObserver<M> to) {
    this.to = (ServerCallStreamObserver<M>) to;
    // With a handler set, a message that meets a cancelled call throws nothing.
    this.to.setOnCancelHandler(() -> {});
  }

  @Override
  public synchronized void onNext(M message) {
    if (!ended) {
      to.onNext(message);
    }
  }

  @Override
  public synchronized void onError(Throwable why) {
    if (!ended) {
      ended = true;
      to.onError(FailureAnswers.answering(why));
    }
  }

  @Override
  public synchronized void onCompleted() {
    if (!ended) {
      ended = true;
      to.onCompleted();
    }
  }
}
