package dev.plinth.client.limit;

import dev.plinth.client.CallFailed;
import dev.plinth.client.Line;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Requests to the service that all come to an end: with an answer, a {@link CallFailed}, or with
 * the client, whose thread then takes no more answers.
 */
final class Asks {
  private static final Set<Code> SILENCE =
      Set.of(
          Code.UNAVAILABLE,
          Code.DEADLINE_EXCEEDED,
          Code.RESOURCE_EXHAUSTED,
          Code.CANCELLED,
          Code.ABORTED,
          Code.INTERNAL,
          Code.UNKNOWN);

  private final Line line;
  private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Asks(Line line) {
    this.line = line;
  }

  /** Whether the service did not decide; else it refused, and asking again would not help. */
  static boolean isSilence(Throwable failure) {
    return failure instanceof CancellationException
        || failure instanceof CallFailed call && SILENCE.contains(call.code());
  }

  /** One attempt. */
  <Q, A> CompletableFuture<A> send(MethodDescriptor<Q, A> method, Q request, Duration deadline) {
    return kept(closed ? new CompletableFuture<>() : line.ask(method, request, deadline));
  }

  /**
   * Sends it again, with the same content, until it is answered, refused, or the time is over;
   * nobody is in a hurry for it. The request must be good for that.
   */
  <Q, A> CompletableFuture<A> insist(MethodDescriptor<Q, A> method, Q request, Duration time) {
    CompletableFuture<A> answered = kept(new CompletableFuture<>());
    Insistence<Q, A> insistence =
        new Insistence<>(method, request, line.nanos().getAsLong() + time.toNanos(), answered);
    insistence.attempt(0);
    return answered;
  }

  private <A> CompletableFuture<A> kept(CompletableFuture<A> answer) {
    underWay.add(answer);
    answer.whenComplete((value, failure) -> underWay.remove(answer));
    if (closed) {
      answer.cancel(false);
    }
    return answer;
  }

  /** On the client's own thread, as long as this is open. */
  void after(Duration delay, Runnable task) {
    if (!closed) {
      line.after(delay, task);
    }
  }

  /** What is under way ends as unanswered, since its answer could not be heard. */
  void close() {
    closed = true;
    underWay.forEach(answer -> answer.cancel(false));
  }

  private final class Insistence<Q, A> {
    private final MethodDescriptor<Q, A> method;
    private final Q request;
    private final long end;
    private final CompletableFuture<A> answered;

    Insistence(MethodDescriptor<Q, A> method, Q request, long end, CompletableFuture<A> answered) {
      this.method = method;
      this.request = request;
      this.end = end;
      this.answered = answered;
    }

    void attempt(int failures) {
      if (answered.isDone()) {
        return;
      }
      line.ask(method, request, line.callDeadline())
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  answered.complete(answer);
                } else {
                  again((CallFailed) failure, failures);
                }
              });
    }

    private void again(CallFailed failure, int failures) {
      Duration left = Duration.ofNanos(Math.max(0, end - line.nanos().getAsLong()));
      Optional<Duration> pause = line.pause(failure, failures, left);
      if (pause.isEmpty()) {
        answered.completeExceptionally(failure);
      } else {
        line.after(pause.get(), () -> attempt(failures + 1));
      }
    }
  }
}
