package dev.plinth.shards.grpc;

import com.google.protobuf.MessageLite;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.server.failure.Failure;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/**
 * A stream that several threads may write to and end. The first end counts; what comes after it, or
 * after the caller has gone, is dropped. A caller that does not read is cut off when too many bytes
 * wait for it, and of a stream in both directions no more is read than is answered.
 */
public final class SynchronizedStreamObserver<M extends MessageLite> implements StreamObserver<M> {
  static final int MAX_UNREAD_BYTES = 1 << 20;

  private final ServerCallStreamObserver<M> to;
  private int unreadBytes;
  private int unrequested;
  private boolean ended;

  /** Made before the service's method returns, as gRPC takes no handler later. */
  public SynchronizedStreamObserver(StreamObserver<M> to) {
    this.to = (ServerCallStreamObserver<M>) to;
    // With a handler set, a message that meets a cancelled call throws nothing.
    this.to.setOnCancelHandler(() -> {});
  }

  /** Of a stream in both directions: so many messages are read ahead of their answers. */
  public static <M extends MessageLite> SynchronizedStreamObserver<M> reading(
      StreamObserver<M> to, int ahead) {
    SynchronizedStreamObserver<M> stream = new SynchronizedStreamObserver<>(to);
    stream.to.disableAutoRequest();
    stream.to.setOnReadyHandler(stream::ready);
    stream.to.request(ahead);
    return stream;
  }

  @Override
  public synchronized void onNext(M message) {
    if (ended) {
      return;
    }
    unreadBytes = to.isReady() ? 0 : unreadBytes + message.getSerializedSize();
    if (unreadBytes > MAX_UNREAD_BYTES) {
      onError(
          new Failure.Exhausted(
              ErrorReason.ERROR_REASON_WATCHER_TOO_SLOW,
              "stream",
              "more than " + MAX_UNREAD_BYTES + " bytes wait for a caller that does not read",
              Duration.ofMillis(500)));
    } else {
      to.onNext(message);
    }
  }

  /** Answers one message of a stream that is {@link #reading}. */
  public synchronized void answer(M message) {
    onNext(message);
    if (to.isReady()) {
      to.request(1);
    } else {
      unrequested++;
    }
  }

  private synchronized void ready() {
    if (unrequested > 0) {
      to.request(unrequested);
      unrequested = 0;
    }
  }

  @Override
  public synchronized void onError(Throwable why) {
    if (!ended) {
      ended = true;
      to.onError(StatusMappingInterceptor.answering(why));
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
