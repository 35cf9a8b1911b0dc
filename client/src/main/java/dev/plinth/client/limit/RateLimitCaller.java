package dev.plinth.client.limit;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Requests to the service that all come to an end: with an answer, a {@link CallFailedException},
 * or with the client, whose thread then takes no more answers.
 */
final class RateLimitCaller {
  private static final Set<Code> SILENCE =
      Set.of(
          Code.UNAVAILABLE,
          Code.DEADLINE_EXCEEDED,
          Code.RESOURCE_EXHAUSTED,
          Code.CANCELLED,
          Code.ABORTED,
          Code.INTERNAL,
          Code.UNKNOWN);

  private final ClientRuntime clientRuntime;
  private final Set<CompletableFuture<?>> inFlight = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  RateLimitCaller(ClientRuntime clientRuntime) {
    this.clientRuntime = clientRuntime;
  }

  /** Whether the service did not decide; else it refused, and asking again would not help. */
  static boolean isSilence(Throwable failure) {
    return failure instanceof CancellationException
        || failure instanceof CallFailedException call && SILENCE.contains(call.code());
  }

  /** One attempt. */
  <Q, A> CompletableFuture<A> send(MethodDescriptor<Q, A> method, Q request, Duration deadline) {
    return kept(closed ? new CompletableFuture<>() : clientRuntime.send(method, request, deadline));
  }

  /**
   * Sends it again, with the same content, until it is answered, refused, or the time is over;
   * nobody is in a hurry for it. The request must be good for that.
   */
  <Q, A> CompletableFuture<A> sendWithRetry(
      MethodDescriptor<Q, A> method, Q request, Duration time) {
    CompletableFuture<A> answered = kept(new CompletableFuture<>());
    RetriedCall<Q, A> retriedCall =
        new RetriedCall<>(
            method, request, clientRuntime.nanos().getAsLong() + time.toNanos(), answered);
    retriedCall.attempt(0);
    return answered;
  }

  private <A> CompletableFuture<A> kept(CompletableFuture<A> answer) {
    inFlight.add(answer);
    answer.whenComplete((value, failure) -> inFlight.remove(answer));
    if (closed) {
      answer.cancel(false);
    }
    return answer;
  }

  /** On the client's own thread, as long as this is open. */
  void after(Duration delay, Runnable task) {
    if (!closed) {
      clientRuntime.after(delay, task);
    }
  }

  /** What is under way ends as unanswered, since its answer could not be heard. */
  void close() {
    closed = true;
    inFlight.forEach(answer -> answer.cancel(false));
  }

  private final class RetriedCall<Q, A> {
    private final MethodDescriptor<Q, A> method;
    private final Q request;
    private final long end;
    private final CompletableFuture<A> answered;

    RetriedCall(MethodDescriptor<Q, A> method, Q request, long end, CompletableFuture<A> answered) {
      this.method = method;
      this.request = request;
      this.end = end;
      this.answered = answered;
    }

    void attempt(int failures) {
      if (answered.isDone()) {
        return;
      }
      clientRuntime
          .send(method, request, clientRuntime.callDeadline())
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  answered.complete(answer);
                } else {
                  again((CallFailedException) failure, failures);
                }
              });
    }

    private void again(CallFailedException failure, int failures) {
      Duration left = Duration.ofNanos(Math.max(0, end - clientRuntime.nanos().getAsLong()));
      Optional<Duration> pause = clientRuntime.pause(failure, failures, left);
      if (pause.isEmpty()) {
        answered.completeExceptionally(failure);
      } else {
        clientRuntime.after(pause.get(), () -> attempt(failures + 1));
      }
    }
  }
}
