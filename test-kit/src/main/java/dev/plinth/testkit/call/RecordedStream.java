package dev.plinth.testkit.call;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** What a stream says, message by message, and how it ends. */
public final class RecordedStream<Q, M> implements ClientResponseObserver<Q, M> {
  private static final Duration AT_MOST = Duration.ofSeconds(30);

  private final BlockingQueue<Object> said = new LinkedBlockingQueue<>();
  private final boolean slow;
  private ClientCallStreamObserver<Q> call;

  public RecordedStream() {
    this(false);
  }

  private RecordedStream(boolean slow) {
    this.slow = slow;
  }

  /** One that takes no message after the first until it is told to read on. */
  public static <Q, M> RecordedStream<Q, M> slowly() {
    return new RecordedStream<>(true);
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<Q> started) {
    call = started;
    if (slow) {
      started.disableAutoRequestWithInitial(1);
    }
  }

  public void readOn() {
    call.request(Integer.MAX_VALUE);
  }

  @Override
  public void onNext(M message) {
    said.add(message);
  }

  @Override
  public void onError(Throwable thrown) {
    said.add(thrown);
  }

  @Override
  public void onCompleted() {
    said.add(Status.OK);
  }

  /** Waits for the next message. */
  @SuppressWarnings("unchecked") // only messages are neither
  public M next() {
    Object next = take();
    if (next instanceof Throwable || next instanceof Status) {
      throw new AssertionError("the stream ended (expected: a message): " + next);
    }
    return (M) next;
  }

  /** The next that is like this; those before it are passed over, but not for ever. */
  public M next(Predicate<M> like) {
    long deadline = System.nanoTime() + AT_MOST.toNanos();
    M next = next();
    while (!like.test(next)) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not what was expected, nor what came after: " + next);
      }
      next = next();
    }
    return next;
  }

  /** Waits for a clean end, which must be next. */
  public void end() {
    assertInstanceOf(Status.class, take());
  }

  /** Waits for an error, which must be next. */
  public Refusal refusal() {
    return Refusal.of(assertInstanceOf(Throwable.class, take()));
  }

  /** Passes over messages up to an error. */
  public Refusal lastly() {
    Object next = take();
    while (!(next instanceof Throwable)) {
      next = take();
    }
    return Refusal.of((Throwable) next);
  }

  public void cancel() {
    call.cancel("the test left", null);
  }

  private Object take() {
    try {
      Object next = said.poll(AT_MOST.toSeconds(), TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("the stream said nothing more");
      }
      return next;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
