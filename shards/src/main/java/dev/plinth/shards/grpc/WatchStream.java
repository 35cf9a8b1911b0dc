package dev.plinth.shards.grpc;

import com.google.protobuf.MessageLite;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.call.CallMemory;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.server.failure.Failure;
import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * A stream to a reader that may be slow. The shard's loop writes; what the reader is not ready for
 * waits here, up to a number of bytes, and leaves as it reads. The parts of a long snapshot are
 * made as they leave, so that no reader has the whole of it in messages.
 */
public final class WatchStream<M extends MessageLite> {
  /** Bytes that a reader may be behind before it is cut off. */
  static final int MAX_UNREAD = 4 << 20;

  /** Messages with lists are cut at this size; clients take 4 MiB at once unless told otherwise. */
  public static final int MAX_BYTES = 1 << 20;

  private record Unread<M>(M message, Iterator<M> parts, long bytes) {}

  private final ServerCallStreamObserver<M> to;
  private final Context caller = Context.current();
  private final CallMemory memory = CallMemory.ofCurrentCall();
  private final ArrayDeque<Unread<M>> unread = new ArrayDeque<>();
  private int unreadBytes;
  private Throwable ending;
  private boolean completing;
  private boolean ended;
  // One thread sends what is unread, outside the lock; all others leave their messages to it.
  private boolean draining;

  /** Made before the service's method returns, as gRPC takes no handler later. */
  public WatchStream(ServerCallStreamObserver<M> to) {
    this.to = to;
    // Without a handler, a message to a reader that has just left throws, on the shard's loop.
    to.setOnCancelHandler(this::forget);
    to.setOnReadyHandler(this::drain);
  }

  /** False if the reader is too far behind. */
  public synchronized boolean send(M message) {
    if (isGone() || ended) {
      return false;
    }
    if (!draining && unread.isEmpty() && to.isReady()) {
      to.onNext(message);
      return true;
    }
    int bytes = message.getSerializedSize();
    unread.add(new Unread<>(message, null, bytes));
    unreadBytes += bytes;
    return memory.hold(bytes) && unreadBytes <= MAX_UNREAD;
  }

  /**
   * Sends messages that are made one by one, as the reader takes them.
   *
   * @param bytes what they are made from keeps in memory until then
   */
  public boolean sendParts(long bytes, Iterator<M> parts) {
    synchronized (this) {
      if (isGone() || ended || !memory.hold(bytes)) {
        return false;
      }
      unread.add(new Unread<>(null, parts, bytes));
    }
    drain();
    return true;
  }

  /** The caller no longer listens. */
  public boolean isGone() {
    return caller.isCancelled() || to.isCancelled();
  }

  /** After what is unread, except where that is the reason. */
  public void end(Throwable why) {
    synchronized (this) {
      if (ending != null) {
        return;
      }
      ending = why;
      if (why instanceof Failure failure
          && failure.reason() == ErrorReason.ERROR_REASON_WATCHER_TOO_SLOW) {
        unread.clear();
      }
    }
    drain();
  }

  /** As the shard's side of a stream that it feeds by hand, which ends with the shard. */
  StreamObserver<M> ending() {
    return new StreamObserver<>() {
      @Override
      public void onNext(M message) {
        throw new IllegalStateException("messages are sent by hand");
      }

      @Override
      public void onError(Throwable thrown) {
        end(thrown);
      }

      @Override
      public void onCompleted() {
        // Its reader has gone.
      }
    };
  }

  /** Ends it in good order, after what is unread. */
  public void complete() {
    synchronized (this) {
      completing = true;
    }
    drain();
  }

  private synchronized void forget() {
    unread.clear();
    unreadBytes = 0;
  }

  private void drain() {
    synchronized (this) {
      if (draining) {
        return;
      }
      draining = true;
    }
    for (M next = next(); next != null; next = next()) {
      to.onNext(next);
    }
  }

  /** What to send now; null if nothing is to be sent, and then this thread sends no more. */
  private M next() {
    Iterator<M> parts;
    synchronized (this) {
      Unread<M> first = unread.peek();
      if (first != null && first.parts() != null && !first.parts().hasNext()) {
        memory.release(unread.poll().bytes());
        first = unread.peek();
      }
      if (first == null || !to.isReady()) {
        draining = false;
        endIfDone(first == null);
        return null;
      }
      if (first.parts() == null) {
        unread.poll();
        unreadBytes -= first.bytes();
        memory.release(first.bytes());
        return first.message();
      }
      parts = first.parts();
    }
    return parts.next();
  }

  private void endIfDone(boolean done) {
    if (!done || ended || ending == null && !completing) {
      return;
    }
    ended = true;
    if (isGone()) {
      return;
    }
    if (ending == null) {
      to.onCompleted();
    } else {
      to.onError(StatusMappingInterceptor.answering(ending));
    }
  }
}
