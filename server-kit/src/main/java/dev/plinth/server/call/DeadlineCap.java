package dev.plinth.server.call;

import dev.plinth.server.failure.StatusMapping;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Deadline;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
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
  private final Deadline.Ticker ticker;

  public DeadlineCap(Duration cap, ScheduledExecutorService timer, Deadline.Ticker ticker) {
    this.cap = cap;
    this.timer = timer;
    this.ticker = ticker;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Deadline asked = Context.current().getDeadline();
    boolean within = asked != null && asked.timeRemaining(TimeUnit.NANOSECONDS) <= cap.toNanos();
    if (within || call.getMethodDescriptor().getType() != MethodType.UNARY) {
      return next.startCall(call, headers);
    }
    Deadline latest = Deadline.after(cap.toNanos(), TimeUnit.NANOSECONDS, ticker);
    Context.CancellableContext capped = Context.current().withDeadline(latest, timer);
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
}
