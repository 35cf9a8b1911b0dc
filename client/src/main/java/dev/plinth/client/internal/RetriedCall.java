package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One request, sent until it is answered, refused, out of time, or no longer wanted. Every attempt
 * carries the same request, and with it the same request id: the answer of an earlier attempt may
 * have been lost, and the server gives it again. {@link RetrySchedule} decides which statuses are
 * retried and when.
 *
 * <p>Nothing here blocks. All but the first attempt are made on the event loop, so none follows
 * once the client is closed.
 */
public final class RetriedCall<Q, A> {
  static final Duration NO_END = Duration.ofNanos(Long.MAX_VALUE / 2);

  private final AsyncCaller caller;
  private final ClientEnvironment environment;
  private final MethodDescriptor<Q, A> method;
  private final Q request;
  private final CompletableFuture<A> answered = new CompletableFuture<>();
  private Duration attemptTimeout;
  private Duration timeout = NO_END;
  private Duration maxBackoff = RetrySchedule.MAX_BACKOFF;
  private boolean everyStatus;
  private BooleanSupplier wanted = () -> true;
  private Runnable onAttempt = () -> {};
  private Consumer<CallFailedException> onFailure = failure -> {};
  private OperationDeadline deadline;
  private int failures;

  /**
   * @param request a read, a renewal, or one that carries a request id
   */
  RetriedCall(
      AsyncCaller caller,
      ClientEnvironment environment,
      MethodDescriptor<Q, A> method,
      Q request,
      Duration attemptTimeout) {
    this.caller = caller;
    this.environment = environment;
    this.method = method;
    this.request = request;
    this.attemptTimeout = attemptTimeout;
  }

  /** For one attempt, in place of the client's call deadline. */
  public RetriedCall<Q, A> attemptTimeout(Duration time) {
    attemptTimeout = time;
    return this;
  }

  /** For all attempts and the delays between them; without end by default. */
  public RetriedCall<Q, A> timeout(Duration time) {
    timeout = time;
    return this;
  }

  /** Retries whatever the status is, and after this delay at the latest. */
  public RetriedCall<Q, A> everyStatusWithin(Duration delay) {
    everyStatus = true;
    maxBackoff = delay;
    return this;
  }

  /** Looked at before each attempt and after each failure. */
  public RetriedCall<Q, A> whileWanted(BooleanSupplier condition) {
    wanted = condition;
    return this;
  }

  /** Runs before each attempt is sent. */
  public RetriedCall<Q, A> onAttempt(Runnable hook) {
    onAttempt = hook;
    return this;
  }

  /** Runs after each attempt that failed, before it is decided whether another one follows. */
  public RetriedCall<Q, A> onFailure(Consumer<CallFailedException> hook) {
    onFailure = hook;
    return this;
  }

  /**
   * Completes with the answer, or with the {@link CallFailedException} of the last attempt; is
   * cancelled if an attempt was due and no longer wanted. No attempt follows once it is done, by
   * whomever.
   */
  public CompletableFuture<A> send() {
    deadline = new OperationDeadline(timeout, environment.nanos());
    attempt();
    return answered;
  }

  private void attempt() {
    if (answered.isDone()) {
      return;
    }
    if (!wanted.getAsBoolean()) {
      answered.cancel(false);
      return;
    }
    onAttempt.run();
    caller
        .send(method, request, ClientWire.shorter(attemptTimeout, deadline.left()))
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                answered.complete(answer);
              } else {
                failed((CallFailedException) failure);
              }
            });
  }

  private void failed(CallFailedException failure) {
    onFailure.accept(failure);
    Optional<Duration> delay = wanted.getAsBoolean() ? delay(failure) : Optional.empty();
    if (delay.isPresent() && !answered.isDone()) {
      environment.loop().after(delay.get(), this::attempt);
    } else {
      answered.completeExceptionally(failure);
    }
  }

  private Optional<Duration> delay(CallFailedException failure) {
    Duration left = deadline.left();
    Optional<Duration> delay = environment.retries().delay(failure, failures++, maxBackoff, left);
    return everyStatus
        ? Optional.of(ClientWire.shorter(delay.orElse(maxBackoff), maxBackoff))
            .filter(time -> time.compareTo(left) < 0)
        : delay;
  }
}
