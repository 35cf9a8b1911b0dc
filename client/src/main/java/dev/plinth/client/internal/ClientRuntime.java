package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import dev.plinth.machine.Machine;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the parts of a client that have packages of their own share: its channel with the retries,
 * its event loop, its clocks, its end. Not for applications: it changes as the client does.
 */
public final class ClientRuntime {
  private static final Logger log = System.getLogger("plinth.client");
  private static final Duration BACKGROUND_ATTEMPT = Duration.ofSeconds(10);

  private final String owner;
  private final ManagedChannel channel;
  private final ClientEnvironment environment;
  private final Duration operationTimeout;
  private final Executor background;
  private final Optional<MeterRegistry> meters;
  private final BlockingCaller blockingCaller;
  private final AsyncCaller asyncCaller;
  // Ends with the client, and with it every stream.
  private final Context.CancellableContext life = Context.ROOT.withCancellation();
  private final OrderedSet<AutoCloseable> parts = new OrderedSet<>();
  private volatile boolean closed;

  /**
   * @param operationTimeout for a call that waits for nothing but its answer, over all attempts
   * @param background for the client's own work that waits for answers
   */
  public ClientRuntime(
      String owner,
      ManagedChannel channel,
      BlockingCaller blockingCaller,
      ClientEnvironment environment,
      Duration operationTimeout,
      Executor background,
      Optional<MeterRegistry> meters) {
    this.owner = owner;
    this.channel = channel;
    this.environment = environment;
    this.operationTimeout = operationTimeout;
    this.background = background;
    this.meters = meters;
    this.blockingCaller = blockingCaller;
    this.asyncCaller = new AsyncCaller(channel, environment);
  }

  /** Who the client is, to others. */
  public String owner() {
    return owner;
  }

  /** For all attempts of a call that waits for nothing but its answer. */
  public Duration operationTimeout() {
    return operationTimeout;
  }

  public ManagedChannel channel() {
    return channel;
  }

  public Context life() {
    return life;
  }

  public ClientEnvironment environment() {
    return environment;
  }

  public BlockingCaller blockingCaller() {
    return blockingCaller;
  }

  public OperationDeadline deadline() {
    return deadline(operationTimeout);
  }

  public OperationDeadline deadline(Duration time) {
    return new OperationDeadline(time, environment.nanos());
  }

  /** For one attempt. */
  public Duration callDeadline() {
    return blockingCaller.callDeadline();
  }

  /** The monotonic clock. */
  public LongSupplier nanos() {
    return environment.nanos();
  }

  public InstantSource wall() {
    return environment.wall();
  }

  /** For one request, over all its attempts. */
  public String newRequestId() {
    return environment.newRequestId();
  }

  public Machine machine() {
    return environment.machine();
  }

  /**
   * Waits for the answer, with retries as the rule allows; never on the event loop. The request
   * must be a read, a renewal, or carry a request id.
   *
   * @throws CallFailedException if the server refused it, or did not answer in time
   */
  public <Q, A> A call(MethodDescriptor<Q, A> method, Q request, Duration time)
      throws InterruptedException {
    return blockingCaller.call(method, request, deadline(time));
  }

  /**
   * Waits for what the event loop does; never on it.
   *
   * @throws CallFailedException if it failed so, or with DEADLINE_EXCEEDED if it took longer
   */
  public <T> T await(CompletableFuture<T> result, Duration atMost) throws InterruptedException {
    try {
      return machine().await(result, atMost);
    } catch (TimeoutException e) {
      throw CallFailedException.of(
          "wait", Status.DEADLINE_EXCEEDED.withDescription("no answer came").asException());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw CallFailedException.of("wait", e.getCause());
    }
  }

  /** One attempt, without blocking; see {@link AsyncCaller#send}. */
  public <Q, A> CompletableFuture<A> send(
      MethodDescriptor<Q, A> method, Q request, Duration deadline) {
    return asyncCaller.send(method, request, deadline);
  }

  /** A call that is retried without blocking, to be sent. */
  public <Q, A> RetriedCall<Q, A> retried(MethodDescriptor<Q, A> method, Q request) {
    return new RetriedCall<>(asyncCaller, environment, method, request, callDeadline());
  }

  /** A call that nobody waits for, retried until it is answered, refused, or no longer wanted. */
  public <Q, A> void sendInBackground(
      MethodDescriptor<Q, A> method, Q request, BooleanSupplier wanted, Consumer<A> then) {
    retried(method, request)
        .attemptTimeout(BACKGROUND_ATTEMPT)
        .whileWanted(wanted)
        .send()
        .thenAccept(answer -> environment.loop().execute(() -> then.accept(answer)));
  }

  /** On the event loop, where nothing may block. Dropped once the client is closed. */
  public void after(Duration delay, Runnable task) {
    environment.loop().after(delay, task);
  }

  /** Threads of the client's own, as many as it takes, for work that may block. */
  public Executor background() {
    return background;
  }

  /** Where the client is measured; a class that uses it must not be loaded when it is empty. */
  public Optional<MeterRegistry> meters() {
    return meters;
  }

  /** Has a part closed with the client, while calls still can be made. */
  public void attach(AutoCloseable part) {
    checkOpen();
    parts.add(part);
  }

  /** Nothing is begun once the client is closed. */
  public void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the client is closed");
    }
  }

  /** Of a part that was closed before. */
  public void detach(AutoCloseable part) {
    parts.remove(part);
  }

  /** Ends every stream. */
  public void endStreams() {
    life.cancel(null);
  }

  public void close() {
    closed = true;
    for (AutoCloseable part : parts.copy()) {
      try {
        part.close();
      } catch (Exception e) {
        log.log(Level.WARNING, "a part of the client did not close", e);
      }
    }
  }
}
