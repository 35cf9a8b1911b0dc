package dev.plinth.shards.grpc;

import dev.plinth.server.call.FailureAnswers;
import dev.plinth.server.failure.Failure;
import io.grpc.stub.ServerCallStreamObserver;

/** A stream to a reader that may be slow. On the shard's loop alone. */
public final class WatchStream<M> {
  // What a reader may be behind before it is cut off; gRPC keeps it in memory.
  private static final int MOST_UNREAD = 1000;

  private final ServerCallStreamObserver<M> to;
  private int unread;

  /** Made before the service's method returns, as gRPC takes no handler later. */
  public WatchStream(ServerCallStreamObserver<M> to) {
    this.to = to;
    // Without a handler, a message to a reader that has just left throws, on the shard's loop.
    to.setOnCancelHandler(() -> {});
  }

  /** False if the reader is too far behind. */
  public boolean send(M message) {
    unread = to.isReady() ? 0 : unread + 1;
    if (unread > MOST_UNREAD) {
      return false;
    }
    to.onNext(message);
    return true;
  }

  public void end(Failure why) {
    if (!to.isCancelled()) {
      to.onError(FailureAnswers.answering(why));
    }
  }
}
