package dev.plinth.server.call;

import com.google.rpc.Code;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.StatusMapping;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * The innermost interceptor: whatever way a handler fails, the caller gets a mapped status. A
 * {@link Failure} gets its own; any other exception is a bug, whose stack goes to the log under an
 * incident id and nowhere else.
 */
public final class StatusMappingInterceptor implements ServerInterceptor {
  private static final Logger log = System.getLogger("plinth.call");
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final RandomGenerator random;

  /**
   * @param random for ids of incidents, and the jitter of what a caller is told to wait
   */
  public StatusMappingInterceptor(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    AnsweringCall<Q, A> answering = new AnsweringCall<>(call, random);
    try {
      return new CatchingListener<>(next.startCall(answering, headers), answering);
    } catch (RuntimeException e) {
      answering.fail(e);
      return new ServerCall.Listener<>() {};
    }
  }

  /**
   * What to end a call with. gRPC takes the status of the first exception of its own among the
   * causes, which in a store's failure is what the engine told us, not what we tell our caller.
   */
  public static Throwable answering(Throwable thrown) {
    return unwrap(thrown) instanceof Failure failure
        ? Status.UNKNOWN.withCause(failure).asRuntimeException()
        : thrown;
  }

  /**
   * The status of something that failed within a call that goes on, as the call would have had it.
   *
   * @param what for the log, should it be a bug
   */
  public static com.google.rpc.Status status(
      Throwable thrown, String what, RandomGenerator random) {
    boolean told = trailersOf(unwrap(thrown)).containsKey(DETAILS); // by another node, in full
    return told
        ? StatusProto.fromThrowable(unwrap(thrown))
        : answer(Status.fromThrowable(answering(thrown)), what, random);
  }

  private static final class AnsweringCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    // A handler that threw may still answer from another thread: only the first ending counts.
    private final AtomicBoolean closed = new AtomicBoolean();
    private final RandomGenerator random;

    AnsweringCall(ServerCall<Q, A> call, RandomGenerator random) {
      super(call);
      this.random = random;
    }

    void fail(Throwable thrown) {
      if (closed.get()) {
        // Nobody is left to tell, yet it is a bug all the same.
        log.log(
            Level.ERROR,
            getMethodDescriptor().getFullMethodName() + " threw after its end",
            thrown);
        return;
      }
      close(Status.fromThrowable(answering(thrown)), trailersOf(thrown));
    }

    @Override
    public void sendHeaders(Metadata headers) {
      if (!closed.get()) {
        super.sendHeaders(headers);
      }
    }

    @Override
    public void sendMessage(A message) {
      if (!closed.get()) {
        super.sendMessage(message);
      }
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (!closed.compareAndSet(false, true)) {
        return;
      }
      if (status.isOk() || isCancelled() || trailers.containsKey(DETAILS)) {
        super.close(status, trailers);
        return;
      }
      StatusTrailers answer =
          StatusTrailers.of(answer(status, getMethodDescriptor().getFullMethodName(), random));
      trailers.merge(answer.trailers());
      super.close(answer.status(), trailers);
    }
  }

  private static final class CatchingListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final AnsweringCall<Q, ?> call;
    private boolean malformed;

    CatchingListener(ServerCall.Listener<Q> next, AnsweringCall<Q, ?> call) {
      super(next);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      if (message == null) { // as MalformedRequests hands on what could not be parsed
        malformed = true;
        call.fail(MalformedRequests.refusal());
      } else if (!malformed) {
        catching(() -> super.onMessage(message));
      }
    }

    @Override
    public void onHalfClose() {
      if (!malformed) { // the handler would take it for the end of a good request
        catching(super::onHalfClose);
      }
    }

    @Override
    public void onReady() {
      catching(super::onReady);
    }

    @Override
    public void onCancel() {
      catching(super::onCancel);
    }

    @Override
    public void onComplete() {
      catching(super::onComplete);
    }

    private void catching(Runnable step) {
      try {
        step.run();
      } catch (RuntimeException e) {
        call.fail(e);
      }
    }
  }

  private static Metadata trailersOf(Throwable thrown) {
    Metadata trailers = Status.trailersFromThrowable(thrown);
    return trailers == null ? new Metadata() : trailers;
  }

  private static com.google.rpc.Status answer(
      Status status, String method, RandomGenerator random) {
    Throwable cause = unwrap(status.getCause());
    if (cause instanceof Failure failure) {
      logIfOurs(failure, method);
      return StatusMapping.of(failure, random);
    }
    if (status.getCode() == Status.Code.UNKNOWN || status.getCode() == Status.Code.INTERNAL) {
      String incident = CallContext.newId(random);
      log.log(Level.ERROR, method + " failed, incident " + incident, cause);
      return StatusMapping.bug(incident);
    }
    String message =
        status.getDescription() == null ? status.getCode().name() : status.getDescription();
    return StatusMapping.foreign(Code.forNumber(status.getCode().value()), message);
  }

  /** The caller learns the reason; why the store failed, or what is corrupt, only an operator. */
  private static void logIfOurs(Failure failure, String method) {
    if (failure instanceof Failure.Corrupt) {
      log.log(Level.ERROR, method + " found corrupt data", failure);
    } else if (failure instanceof Failure.StoreUnavailable) {
      log.log(Level.DEBUG, method + " had no store", failure);
    }
  }

  private static Throwable unwrap(Throwable thrown) {
    boolean wrapped = thrown instanceof CompletionException || thrown instanceof ExecutionException;
    return wrapped && thrown.getCause() != null ? unwrap(thrown.getCause()) : thrown;
  }
}
