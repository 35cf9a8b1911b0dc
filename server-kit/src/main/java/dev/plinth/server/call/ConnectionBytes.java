package dev.plinth.server.call;

import com.google.protobuf.MessageLite;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.StatusMapping;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Bounds the bytes that one connection, and all of them together, keep in memory: of calls that are
 * open, of their requests, of answers that are not taken, and of what calls hold ({@link
 * CallMemory}). Without it a connection may hold a whole message for each of its calls, in both
 * directions. A request counts to the end of its call, since a call that waits keeps all of it, as
 * also what this version knows no field for.
 *
 * <p>When all together use too much, only connections that use more than an equal share are
 * refused: whoever fills the memory does not cost others their calls. Calls that are declared
 * urgent, such as heartbeats, and health checks have twice the room.
 */
public final class ConnectionBytes extends ServerStreamTracer.Factory implements ServerInterceptor {
  /**
   * What an open call costs, with messages up to this size; 2.3 KiB were measured of an idle
   * stream. A stream with this much unsent is not ready for more.
   */
  static final int OPEN_CALL = 3 * 1024;

  private static final String HEALTH = "grpc.health.";
  private static final Attributes.Key<AtomicLong> CONNECTION =
      Attributes.Key.create("plinth-connection-bytes");
  private static final Context.Key<CallBytes> BYTES = Context.key("plinth-call-bytes");
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final long maxEach;
  private final long maxInAll;
  private final RandomGenerator random;
  private final AtomicLong all = new AtomicLong();
  private final AtomicInteger connections = new AtomicInteger();

  public ConnectionBytes(long maxEach, long maxInAll, RandomGenerator random) {
    this.maxEach = maxEach;
    this.maxInAll = maxInAll;
    this.random = random;
  }

  /** Gives every connection a count of its own. */
  public ServerTransportFilter transportFilter() {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        connections.incrementAndGet();
        return attributes.toBuilder().set(CONNECTION, new AtomicLong()).build();
      }

      @Override
      public void transportTerminated(Attributes attributes) {
        // One that ends before its first HTTP/2 frames was never ready.
        if (attributes != null && attributes.get(CONNECTION) != null) {
          connections.decrementAndGet();
        }
      }
    };
  }

  /** Connections that speak HTTP/2: a probe that only connects is none. */
  public int open() {
    return connections.get();
  }

  /** Bytes that all connections keep. */
  public long bytes() {
    return all.get();
  }

  static CallMemory ofCurrentCall() {
    CallBytes bytes = BYTES.get();
    return bytes == null || bytes.connection == null ? CallMemory.UNCOUNTED : bytes;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new CallBytes();
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    CallBytes bytes = BYTES.get();
    AtomicLong connection = call.getAttributes().get(CONNECTION);
    if (bytes == null || connection == null) { // not by the network
      return next.startCall(call, headers);
    }
    CountedCall<Q, A> counted = new CountedCall<>(call, bytes);
    if (!bytes.open(counted, connection)) {
      return new ServerCall.Listener<>() {};
    }
    return new SimpleForwardingServerCallListener<>(next.startCall(counted, headers)) {
      @Override
      public void onMessage(Q message) {
        if (!bytes.refused) { // its caller was told that nothing is done
          super.onMessage(message);
        }
      }

      @Override
      public void onHalfClose() {
        if (!bytes.refused) {
          super.onHalfClose();
        }
      }

      @Override
      public void onReady() {
        counted.releaseTaken();
        super.onReady();
      }

      @Override
      public void onComplete() {
        if (bytes.refused) { // its handler did not end it, and is to let go of it
          super.onCancel();
        } else {
          super.onComplete();
        }
      }
    };
  }

  /** Counts large answers until they are taken. */
  private static final class CountedCall<Q, A> extends EndableCall<Q, A> {
    private final CallBytes bytes;

    CountedCall(ServerCall<Q, A> call, CallBytes bytes) {
      super(call);
      this.bytes = bytes;
    }

    @Override
    public void sendMessage(A message) {
      if (message instanceof MessageLite answer && answer.getSerializedSize() > OPEN_CALL) {
        releaseTaken();
        if (!bytes.answer(answer.getSerializedSize() - OPEN_CALL)) {
          return;
        }
      }
      super.sendMessage(message);
    }

    /** A stream that is ready for more has sent all but a little of what it was given. */
    void releaseTaken() {
      if (bytes.hasAnswers() && isReady()) {
        bytes.releaseAnswers();
      }
    }
  }

  /** The bytes of one call. */
  private final class CallBytes extends ServerStreamTracer implements CallMemory {
    private volatile AtomicLong connection;
    private volatile EndableCall<?, ?> call;
    private volatile boolean refused;
    private volatile boolean closed;
    private volatile long room = 1; // how often it may use what others may
    private long arrived; // by the network's thread only, as the next four
    private long counted; // the part of it that counts
    private long open;
    private long request; // bytes of the only message of its caller
    private long requestCounted;
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong held = new AtomicLong();

    @Override
    public Context filterContext(Context context) {
      return context.withValue(BYTES, this);
    }

    /** False if it is refused. */
    boolean open(EndableCall<?, ?> call, AtomicLong connection) {
      this.call = call;
      this.connection = connection;
      if (!call.getMethodDescriptor().getType().serverSendsOneMessage()) {
        call.setOnReadyThreshold(OPEN_CALL);
      }
      room = isUrgent(call.getMethodDescriptor()) ? 2 : 1;
      open = OPEN_CALL;
      return keep(open);
    }

    @Override
    public void inboundWireSize(long bytes) {
      arrived += bytes;
      if (arrived > OPEN_CALL && connection != null) {
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

    @Override
    public void inboundUncompressedSize(long bytes) {
      if (call != null && call.getMethodDescriptor().getType().clientSendsOneMessage()) {
        request += bytes;
        long more = request - OPEN_CALL - requestCounted;
        if (more > 0) {
          requestCounted += more;
          keep(more);
        }
      }
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
    public boolean hold(long bytes) {
      held.addAndGet(bytes);
      boolean room = keep(bytes);
      if (closed) { // it may have been given back before this was added
        add(-held.getAndSet(0));
      }
      return room && !closed;
    }

    @Override
    public void release(long bytes) {
      long before = held.getAndUpdate(now -> Math.max(0, now - bytes));
      add(-Math.min(before, bytes));
    }

    @Override
    public void streamClosed(Status status) {
      closed = true;
      add(-counted - open - requestCounted);
      counted = 0;
      open = 0;
      requestCounted = 0;
      releaseAnswers();
      add(-held.getAndSet(0));
    }

    private boolean keep(long bytes) {
      add(bytes);
      if (isOver()) {
        refuse();
      }
      return !refused;
    }

    private boolean isOver() {
      return isConnectionOver()
          || all.get() > room * maxInAll
              && connection.get() > room * maxInAll / Math.max(1, connections.get());
    }

    private boolean isConnectionOver() {
      return connection.get() > room * maxEach;
    }

    private void refuse() {
      refused = true;
      call.end(StatusMapping.of(tooMuch(isConnectionOver()), random));
    }

    private void add(long bytes) {
      if (bytes != 0) {
        connection.addAndGet(bytes);
        all.addAndGet(bytes);
      }
    }
  }

  private static boolean isUrgent(MethodDescriptor<?, ?> method) {
    return method.getFullMethodName().startsWith(HEALTH)
        || CallDeclaration.isDeclared(method) && CallDeclaration.of(method).isUrgent();
  }

  private Failure tooMuch(boolean ofConnection) {
    String whose = ofConnection ? "this connection" : "all connections";
    return new Failure.Exhausted(
        ErrorReason.ERROR_REASON_OVERLOADED,
        "connection",
        "open calls, their requests and answers that are not taken, of %s, use %d bytes"
            .formatted(whose, ofConnection ? maxEach : maxInAll),
        RETRY);
  }
}
