package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import dev.plinth.machine.Machine;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** Calls that their caller waits for, retried with the same request. */
public record BlockingCaller(
    Machine machine,
    Channel channel,
    Duration callDeadline,
    RetrySchedule retries,
    Sleeper sleeper) {
  /** Below the server's cap on unary calls, and not so long that a dead link goes unnoticed. */
  private static final Duration POLL = Duration.ofSeconds(10);

  /** How a thread passes the time between two attempts. */
  public interface Sleeper {
    /** False if the client was closed, now or meanwhile: no attempt follows. */
    boolean sleep(Duration time) throws InterruptedException;
  }

  public <Q, A> A call(MethodDescriptor<Q, A> method, Q request, OperationDeadline deadline)
      throws InterruptedException {
    return callWithRequests(method, () -> request, deadline);
  }

  /**
   * Like {@link #call}, for a caller that counts the attempts.
   *
   * @param requests gives the same request for each attempt
   */
  public <Q, A> A callWithRequests(
      MethodDescriptor<Q, A> method, Supplier<Q> requests, OperationDeadline deadline)
      throws InterruptedException {
    boolean mayHaveApplied = false;
    for (int failures = 0; ; failures++) {
      try {
        Duration within = ClientWire.shorter(callDeadline, deadline.left());
        return attempt(method, requests.get(), within, mayHaveApplied);
      } catch (CallFailedException e) {
        sleepOrThrow(e, failures, deadline);
        mayHaveApplied = e.mayHaveApplied();
      }
    }
  }

  /**
   * For a request that waits in a queue at the server. A poll that ends is followed by the next at
   * once, since the queue position is kept for a moment only; the last one gets time for its answer
   * to come back, and another follows it if the server cut it off as the wait ended. Each asks for
   * what is left of the wait: a queue position that was lost must not begin the wait anew.
   *
   * @param request with the time to wait
   */
  public <Q, A> A callWithLongPoll(
      MethodDescriptor<Q, A> method, Function<Duration, Q> request, OperationDeadline wait)
      throws InterruptedException {
    int failures = 0;
    boolean spent = false;
    boolean mayHaveApplied = false;
    while (true) {
      try {
        Duration left = wait.left();
        Duration deadline = ClientWire.shorter(POLL, left.plus(callDeadline));
        return attempt(method, request.apply(left), deadline, mayHaveApplied);
      } catch (CallFailedException e) {
        mayHaveApplied = e.mayHaveApplied();
        if (e.code() == Code.DEADLINE_EXCEEDED && !spent) {
          throwIfInterrupted();
          spent = wait.isSpent();
          failures = 0;
        } else {
          sleepOrThrow(e, failures++, wait);
        }
      }
    }
  }

  /** Not gRPC's blocking call, whose wait a machine could not be told of. */
  private <Q, A> A attempt(
      MethodDescriptor<Q, A> method, Q request, Duration deadline, boolean earlierMayHaveApplied)
      throws InterruptedException {
    // The thread that brings the answer does nothing with it but wake the caller.
    CallOptions options =
        CallOptions.DEFAULT
            .withExecutor(Runnable::run)
            .withDeadline(
                Deadline.after(deadline.toNanos(), TimeUnit.NANOSECONDS, machine.ticker()));
    UnaryAnswer<A> answer = new UnaryAnswer<>();
    ClientCall<Q, A> call;
    try {
      call = channel.newCall(method, options);
      ClientCalls.asyncUnaryCall(call, request, answer);
    } catch (RuntimeException e) { // of an interceptor, maybe, on a channel that was given
      throw CallFailedException.of(method.getBareMethodName(), e, earlierMayHaveApplied);
    }
    try {
      return machine.await(answer.ended());
    } catch (ExecutionException e) {
      throw CallFailedException.of(method.getBareMethodName(), e.getCause(), earlierMayHaveApplied);
    } catch (InterruptedException e) {
      call.cancel("the caller was interrupted", e);
      throw e;
    }
  }

  private void sleepOrThrow(CallFailedException failure, int failures, OperationDeadline deadline)
      throws InterruptedException {
    throwIfInterrupted();
    Duration delay =
        retries
            .delay(failure, failures, RetrySchedule.MAX_BACKOFF, deadline.left())
            .orElseThrow(() -> failure);
    if (!sleeper.sleep(delay)) {
      throw failure;
    }
  }

  /**
   * Nobody waits for another attempt then, even if this one failed before the wait for it began.
   */
  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }
}
