package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Calls that their caller waits for, sent again with the same content as the rule allows. */
public final class BlockingCaller {
  /** Below the server's cap on unary calls, and not so long that a dead link goes unnoticed. */
  private static final Duration TURN = Duration.ofSeconds(10);

  /** How a thread passes the time between two attempts. */
  public interface Pause {
    void sleep(Duration time) throws InterruptedException;
  }

  private final Channel channel;
  private final Duration callDeadline;
  private final RetrySchedule rule;
  private final Pause pause;

  public BlockingCaller(Channel channel, Duration callDeadline, RetrySchedule rule, Pause pause) {
    this.channel = channel;
    this.callDeadline = callDeadline;
    this.rule = rule;
    this.pause = pause;
  }

  public Duration callDeadline() {
    return callDeadline;
  }

  public <Q, A> A call(
      MethodDescriptor<Q, A> method, Q request, OperationDeadline operationDeadline)
      throws InterruptedException {
    for (int failures = 0; ; failures++) {
      try {
        return once(method, request, ClientWire.shorter(callDeadline, operationDeadline.left()));
      } catch (StatusRuntimeException e) {
        pauseOrThrow(method, e, failures, operationDeadline);
      }
    }
  }

  /**
   * For a request that waits in line at the server. A turn that ends goes on at once, since the
   * place in line is kept for a moment only; the last one gets time for its answer to come back.
   */
  public <Q, A> A callWithLongPoll(MethodDescriptor<Q, A> method, Q request, OperationDeadline wait)
      throws InterruptedException {
    int failures = 0;
    while (true) {
      try {
        return once(method, request, ClientWire.shorter(TURN, wait.left().plus(callDeadline)));
      } catch (StatusRuntimeException e) {
        if (e.getStatus().getCode() == Code.DEADLINE_EXCEEDED && !wait.isSpent()) {
          throwIfInterrupted();
          failures = 0;
        } else {
          pauseOrThrow(method, e, failures++, wait);
        }
      }
    }
  }

  private <Q, A> A once(MethodDescriptor<Q, A> method, Q request, Duration deadline) {
    CallOptions options =
        CallOptions.DEFAULT.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
    return ClientCalls.blockingUnaryCall(channel, method, options, request);
  }

  private void pauseOrThrow(
      MethodDescriptor<?, ?> method,
      StatusRuntimeException failure,
      int failures,
      OperationDeadline operationDeadline)
      throws InterruptedException {
    throwIfInterrupted();
    Duration time =
        rule.pause(failure, failures, operationDeadline.left())
            .orElseThrow(() -> CallFailedException.of(method.getBareMethodName(), failure));
    pause.sleep(time);
  }

  /** gRPC reports an interrupt as a cancelled call and leaves the flag up. */
  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }
}
