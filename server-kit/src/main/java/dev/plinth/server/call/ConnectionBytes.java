package dev.plinth.server.call;

import com.google.protobuf.MessageLite;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.StatusMapping;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the bytes that one connection, and all of them together, keep in memory: of requests that
 * have not arrived whole, and of answers that are not taken. Without it a connection may hold a
 * whole message for each of its calls, in both directions.
 *
 * <p>Only messages above 8 KiB count, and only the call of such a one is refused: a heartbeat is
 * taken and answered while others fill the memory.
 */
public final class ConnectionBytes extends ServerStreamTracer.Factory implements ServerInterceptor {
  /** Times the calls of a connection this is not much. */
  private static final int SMALL = 8 * 1024;

  private static final Attributes.Key<AtomicLong> CONNECTION =
      Attributes.Key.create("plinth-connection-bytes");
  private static final Context.Key<Kept> KEPT = Context.key("plinth-kept-bytes");
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final long maxEach;
  private final long maxInAll;
  private final AtomicLong all = new AtomicLong();

  public ConnectionBytes(long maxEach, long maxInAll) {
    this.maxEach = maxEach;
    this.maxInAll = maxInAll;
  }

  /** Gives every connection a count of its own. */
  public ServerTransportFilter connections() {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(CONNECTION, new AtomicLong()).build();
      }
    };
  }

  /** Bytes that all connections keep. */
  public long bytes() {
    return all.get();
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new Kept();
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Kept kept = KEPT.get();
    AtomicLong connection = call.getAttributes().get(CONNECTION);
    if (kept == null || connection == null) { // not by the network
      return next.startCall(call, headers);
    }
    CountedCall<Q, A> counted = new CountedCall<>(call, kept);
    kept.call = counted;
    kept.connection = connection;
    return new SimpleForwardingServerCallListener<>(next.startCall(counted, headers)) {
      @Override
      public void onReady() {
        counted.releaseTaken();
        super.onReady();
      }

      @Override
      public void onComplete() {
        if (kept.refused) { // its handler did not end it, and is to let go of it
          super.onCancel();
        } else {
          super.onComplete();
        }
      }
    };
  }

  /** Counts large answers until they are taken. */
  private static final class CountedCall<Q, A> extends EndableCall<Q, A> {
    private final Kept kept;

    CountedCall(ServerCall<Q, A> call, Kept kept) {
      super(call);
      this.kept = kept;
    }

    @Override
    public void sendMessage(A message) {
      if (message instanceof MessageLite answer && answer.getSerializedSize() > SMALL) {
        releaseTaken();
        if (!kept.answer(answer.getSerializedSize())) {
          return;
        }
      }
      super.sendMessage(message);
    }

    /** A stream that is ready for more has sent all but a little of what it was given. */
    void releaseTaken() {
      if (kept.hasAnswers() && isReady()) {
        kept.releaseAnswers();
      }
    }
  }

  /** The bytes of one call. */
  private final class Kept extends ServerStreamTracer {
    private volatile AtomicLong connection;
    private volatile EndableCall<?, ?> call;
    private volatile boolean refused;
    private long arrived; // by the network's thread only
    private long counted; // the part of it that counts
    private final AtomicLong answered = new AtomicLong();

    @Override
    public Context filterContext(Context context) {
      return context.withValue(KEPT, this);
    }

    @Override
    public void inboundWireSize(long bytes) {
      arrived += bytes;
      if (arrived > SMALL && connection != null) {
        long more = arrived - counted;
        counted = arrived;
        keep(more);
      }
    }

    @Override
    public void inboundMessageRead(int number, long wireSize, long size) {
      add(-counted);
      counted = 0;
      arrived = 0;
    }

    boolean hasAnswers() {
      return answered.get() > 0;
    }

    /** False if there is no room for it. */
    boolean answer(int bytes) {
      if (!keep(bytes)) {
        add(-bytes); // it is not sent
        return false;
      }
      answered.addAndGet(bytes);
      return true;
    }

    void releaseAnswers() {
      add(-answered.getAndSet(0));
    }

    @Override
    public void streamClosed(Status status) {
      add(-counted);
      counted = 0;
      releaseAnswers();
    }

    private boolean keep(long bytes) {
      add(bytes);
      boolean ofConnection = connection.get() > maxEach;
      if (ofConnection || all.get() > maxInAll) {
        refused = true;
        call.end(StatusMapping.of(tooMuch(ofConnection)));
      }
      return !refused;
    }

    private void add(long bytes) {
      if (bytes != 0) {
        connection.addAndGet(bytes);
        all.addAndGet(bytes);
      }
    }
  }

  private Failure tooMuch(boolean ofConnection) {
    String whose = ofConnection ? "this connection" : "all connections";
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_OVERLOADED,
        "connection",
        "requests that have not arrived whole and answers that are not taken, of %s, use %d bytes"
            .formatted(whose, ofConnection ? maxEach : maxInAll),
        RETRY);
  }
}
