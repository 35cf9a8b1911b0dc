package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * A watch of something at the server: opened again when it breaks, when it is silent for too long,
 * and from the beginning when its resume token is refused; until it is closed.
 */
public final class ResumingWatch<Q, A> implements AutoCloseable {
  // A server tells of its progress every 5 s.
  private static final Duration MAX_SILENCE = Duration.ofSeconds(20);

  /** Who watches; on the event loop. */
  public interface Listener<A> {
    void onMessage(A message);

    /** The server does not take the token: what it says next is a snapshot. */
    void loseTrack();

    /** It was refused, or broke; another attempt follows. */
    default void onFailure(CallFailedException why) {}
  }

  private final ClientEventLoop loop;
  private final ResumingStream<Q, A> stream;
  private final SilenceWatchdog watchdog;
  private final StreamStartLatch started;

  /**
   * @param requests each opening asks for one
   */
  public ResumingWatch(
      ClientRuntime runtime,
      MethodDescriptor<Q, A> method,
      Supplier<Q> requests,
      Listener<A> listener) {
    loop = runtime.environment().loop();
    started = new StreamStartLatch(runtime.machine(), method.getBareMethodName());
    stream =
        new ResumingStream<>(
            runtime, method, RetrySchedule.MAX_BACKOFF, requests, new Receiver(listener));
    watchdog = new SilenceWatchdog(runtime, MAX_SILENCE, stream::open);
  }

  /** Waits until {@link #begun}. */
  public void begin(OperationDeadline deadline) throws InterruptedException {
    open();
    started.await(deadline, this::close);
  }

  public void open() {
    loop.execute(
        () -> {
          stream.open();
          watchdog.start();
        });
  }

  /** What is watched is known. */
  public void begun() {
    started.done();
  }

  /** How long ago the server was last heard of. */
  public Duration age() {
    return watchdog.silence();
  }

  @Override
  public void close() {
    loop.execute(
        () -> {
          watchdog.stop();
          stream.stop();
        });
  }

  private final class Receiver implements ResumingStream.Listener<A> {
    private final Listener<A> listener;

    Receiver(Listener<A> listener) {
      this.listener = listener;
    }

    @Override
    public void onMessage(A message) {
      watchdog.heard();
      listener.onMessage(message);
    }

    @Override
    public void onBroken(CallFailedException why) {
      listener.onFailure(why);
    }

    @Override
    public void refused(CallFailedException why) {
      listener.onFailure(why);
      started.failed(why);
      listener.loseTrack();
      loop.after(RetrySchedule.MAX_BACKOFF, stream::open);
    }
  }
}
