package dev.plinth.client;

import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What the parts of a client that have packages of their own share: its channel with the retries,
 * its own thread, its clocks, its end. Not for applications: it changes as the client does.
 */
public final class ClientRuntime {
  private static final Logger log = System.getLogger("plinth.client");

  private final ClientParts clientParts;
  private final AsyncCaller asyncCaller;
  private final Optional<MeterRegistry> meters;
  private final Set<AutoCloseable> parts = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  ClientRuntime(ClientParts clientParts, AsyncCaller asyncCaller, Optional<MeterRegistry> meters) {
    this.clientParts = clientParts;
    this.asyncCaller = asyncCaller;
    this.meters = meters;
  }

  /** Who the client is, to others. */
  public String owner() {
    return clientParts.owner();
  }

  /** For all attempts of a call that waits for nothing but its answer. */
  public Duration operationTimeout() {
    return clientParts.timeout();
  }

  /** For one attempt. */
  public Duration callDeadline() {
    return clientParts.blockingCaller().callDeadline();
  }

  /** What a holder may believe of a ttl that counts from before it was asked for. */
  public static Duration localDeadline(Duration ttl) {
    return LocalDeadline.window(ttl);
  }

  /** The monotonic clock. */
  public LongSupplier nanos() {
    return clientParts.clientEnvironment().nanos();
  }

  public InstantSource wall() {
    return clientParts.clientEnvironment().wall();
  }

  /**
   * Waits for the answer, with retries as the rule allows; never on the own thread. The request
   * must be a read, a renewal, or carry a request id.
   *
   * @throws CallFailedException if the server refused it, or did not answer in time
   */
  public <Q, A> A call(MethodDescriptor<Q, A> method, Q request, Duration time)
      throws InterruptedException {
    return clientParts.blockingCaller().call(method, request, clientParts.budget(time));
  }

  /**
   * One attempt, without blocking. What hangs on the future runs on the own thread; a failure is a
   * {@link CallFailedException}, for {@link #pause} to judge.
   */
  public <Q, A> CompletableFuture<A> send(
      MethodDescriptor<Q, A> method, Q request, Duration deadline) {
    CompletableFuture<A> answered = new CompletableFuture<>();
    asyncCaller
        .send(method, request, deadline)
        .whenComplete(
            (answer, thrown) -> {
              if (thrown == null) {
                answered.complete(answer);
              } else {
                answered.completeExceptionally(
                    CallFailedException.of(
                        method.getBareMethodName(), (StatusRuntimeException) thrown));
              }
            });
    return answered;
  }

  /**
   * The pause before the next attempt of what was asked; empty if there must be none, or none
   * within the time left.
   *
   * @param failures how many attempts failed before this one
   */
  public Optional<Duration> pause(CallFailedException failure, int failures, Duration left) {
    return clientParts
        .clientEnvironment()
        .rule()
        .pause((StatusRuntimeException) failure.getCause(), failures, left);
  }

  /** On the own thread, where nothing may block. Dropped once the client is closed. */
  public void after(Duration delay, Runnable task) {
    clientParts.clientEnvironment().thread().after(delay, task);
  }

  /** Threads of the client's own, as many as it takes, for work that may block. */
  public Executor background() {
    return clientParts.background();
  }

  /** Where the client is measured; a class that uses it must not be loaded when it is empty. */
  public Optional<MeterRegistry> meters() {
    return meters;
  }

  /** Has a part closed with the client, while calls still can be made. */
  public void attach(AutoCloseable part) {
    if (closed) {
      throw new IllegalStateException("the client is closed");
    }
    parts.add(part);
  }

  /** Of a part that was closed before. */
  public void detach(AutoCloseable part) {
    parts.remove(part);
  }

  void close() {
    closed = true;
    for (AutoCloseable part : parts) {
      try {
        part.close();
      } catch (Exception e) {
        log.log(Level.WARNING, "a part of the client did not close", e);
      }
    }
  }
}
