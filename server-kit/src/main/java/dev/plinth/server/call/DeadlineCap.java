package dev.plinth.server.call;

import dev.plinth.server.failure.StatusMapping;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Deadline;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ends a unary call that came with no deadline, or with one beyond the cap, when the cap runs out,
 * so that no caller can hold a place in the server for ever. Streams live until their connection's
 * age ends.
 */
public final class DeadlineCap implements ServerInterceptor {
  private final Duration cap;
  private final ScheduledExecutorService timer;

  public DeadlineCap(Duration cap, ScheduledExecutorService timer) {
    this.cap = cap;
    this.timer = timer;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Deadline asked = Context.current().getDeadline();
    boolean within = asked != null && asked.timeRemaining(TimeUnit.NANOSECONDS) <= cap.toNanos();
    if (within || call.getMethodDescriptor().getType() != MethodType.UNARY) {
      return next.startCall(call, headers);
    }
    Context.CancellableContext capped =
        Context.current().withDeadline(Deadline.after(cap.toNanos(), TimeUnit.NANOSECONDS), timer);
    EndableCall<Q, A> endable = new EndableCall<>(call);
    capped.addListener(context -> endIfTimedOut(context, endable), Runnable::run);
    return new SimpleForwardingServerCallListener<>(
        Contexts.interceptCall(capped, endable, headers, next)) {
      @Override
      public void onComplete() {
        capped.cancel(null);
        super.onComplete();
      }

      @Override
      public void onCancel() {
        capped.cancel(null);
        super.onCancel();
      }
    };
  }

  private void endIfTimedOut(Context context, EndableCall<?, ?> call) {
    if (context.cancellationCause() instanceof TimeoutException) {
      call.end(StatusMapping.deadlineCapped(cap));
    }
  }

  /** A call that the timer's thread may end while the handler's is answering: one of them wins. */
  private static final class EndableCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private boolean closed;

    EndableCall(ServerCall<Q, A> call) {
      super(call);
    }

    synchronized void end(com.google.rpc.Status status) {
      StatusTrailers answer = StatusTrailers.of(status);
      close(answer.status(), answer.trailers());
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
      if (!closed) {
        super.sendHeaders(headers);
      }
    }

    @Override
    public synchronized void sendMessage(A message) {
      if (!closed) {
        super.sendMessage(message);
      }
    }

    @Override
    public synchronized void close(Status status, Metadata trailers) {
      if (!closed) {
        closed = true;
        super.close(status, trailers);
      }
    }
  }
}
