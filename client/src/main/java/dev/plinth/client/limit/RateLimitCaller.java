package dev.plinth.client.limit;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OrderedSet;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

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
  private static final Set<Code> BAD_CONTENT = Set.of(Code.INVALID_ARGUMENT, Code.OUT_OF_RANGE);

  private final ClientRuntime runtime;
  private final Duration deadline;
  private final OrderedSet<CompletableFuture<?>> inFlight = new OrderedSet<>();
  private volatile boolean closed;

  /**
   * @param deadline for one attempt that somebody waits for
   */
  RateLimitCaller(ClientRuntime runtime, Duration deadline) {
    this.runtime = runtime;
    this.deadline = deadline;
  }

  /** Whether the service did not decide; else it refused, and asking again would not help. */
  static boolean isSilence(Throwable failure) {
    return failure instanceof CancellationException
        || failure instanceof CallFailedException call && SILENCE.contains(call.code());
  }

  /**
   * Whether the service refused what the request says. A caller can bring that about, so it must
   * never count as the service being away.
   */
  static boolean isBadContent(Throwable failure) {
    return failure instanceof CallFailedException call && BAD_CONTENT.contains(call.code());
  }

  /** One attempt. */
  <Q, A> CompletableFuture<A> send(MethodDescriptor<Q, A> method, Q request) {
    return kept(closed ? new CompletableFuture<>() : runtime.send(method, request, deadline));
  }

  /**
   * Sends it again, with the same content, until it is answered, refused, or the time is over;
   * nobody is in a hurry for it. The request must be good for that.
   */
  <Q, A> CompletableFuture<A> sendWithRetry(
      MethodDescriptor<Q, A> method, Q request, Duration time) {
    return kept(
        closed ? new CompletableFuture<>() : runtime.retried(method, request).timeout(time).send());
  }

  /** Cancels it when this is closed, at once if it is. */
  <A> CompletableFuture<A> kept(CompletableFuture<A> answer) {
    inFlight.add(answer);
    answer.whenComplete((value, failure) -> inFlight.remove(answer));
    if (closed) {
      answer.cancel(false);
    }
    return answer;
  }

  /** On the event loop, as long as this is open. */
  void after(Duration delay, Runnable task) {
    if (!closed) {
      runtime.after(delay, task);
    }
  }

  /** What is in flight ends as unanswered, since its answer could not be heard. */
  void close() {
    closed = true;
    inFlight.copy().forEach(answer -> answer.cancel(false));
  }
}
