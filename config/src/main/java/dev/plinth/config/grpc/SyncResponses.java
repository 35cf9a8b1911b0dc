package dev.plinth.config.grpc;

import dev.plinth.config.v1.SyncResponse;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.grpc.WatchStream;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The way to one agent. What it is not ready for waits, up to a number of bytes; content is cut
 * into chunks as the agent takes them.
 */
final class SyncResponses implements StreamObserver<Iterator<SyncResponse>> {
  // Whatever an agent does not read is little: what is sent is made as it reads.
  private static final int MAX_UNREAD = 1024;

  private final WatchStream<SyncResponse> to;
  private final AtomicInteger unread = new AtomicInteger();

  SyncResponses(ServerCallStreamObserver<SyncResponse> to) {
    this.to = new WatchStream<>(to);
  }

  /** Messages that follow each other, with nothing between them. */
  @Override
  public void onNext(Iterator<SyncResponse> messages) {
    if (unread.incrementAndGet() > MAX_UNREAD || !to.sendParts(0, counted(messages))) {
      to.end(
          new Failure.Exhausted(
              ErrorReason.ERROR_REASON_WATCHER_TOO_SLOW,
              "stream",
              "the agent does not keep up; connect again",
              Duration.ofMillis(500)));
    }
  }

  private Iterator<SyncResponse> counted(Iterator<SyncResponse> messages) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return messages.hasNext();
      }

      @Override
      public SyncResponse next() {
        SyncResponse next = messages.next();
        if (!messages.hasNext()) {
          unread.decrementAndGet();
        }
        return next;
      }
    };
  }

  @Override
  public void onError(Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    to.end(
        cause instanceof Failure failure
            ? failure
            : new Failure.Unavailable(
                ErrorReason.ERROR_REASON_SHARD_MOVED,
                "the stream cannot go on here",
                Duration.ofMillis(500),
                Map.of()));
  }

  @Override
  public void onCompleted() {
    to.complete();
  }
}
