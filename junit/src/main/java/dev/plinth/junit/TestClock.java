package dev.plinth.junit;

import dev.plinth.machine.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * The clock of a {@link PlinthExtension}. It starts at the time of day and then stands still until
 * the test moves it. It is an {@link java.time.InstantSource}, so code under test can read it too.
 */
public final class TestClock implements TimeSource {
  private final Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS);
  private final long startNanos = System.nanoTime();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile Duration elapsed = Duration.ZERO;

  TestClock() {}

  @Override
  public Instant instant() {
    return start.plus(elapsed);
  }

  @Override
  public LongSupplier nanos() {
    return () -> startNanos + elapsed.toNanos();
  }

  /**
   * Moves the time on in one step, rounded up to whole milliseconds, and returns when everything
   * that is due has been done: leases and waits have run out at the server, and clients with this
   * clock have noticed it. Heartbeats that became due have been sent and answered.
   *
   * <p>One step is like a pause of the whole machine. A lease whose ttl is shorter than the step is
   * lost, since no heartbeat came in between. A client that is to keep its leases for longer needs
   * several steps, each shorter than a third of the ttl.
   *
   * @throws IllegalArgumentException if the duration is negative
   */
  public synchronized void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("by: " + by + " (expected: not negative)");
    }
    Duration millis = by.truncatedTo(ChronoUnit.MILLIS);
    elapsed = elapsed.plus(millis.equals(by) ? millis : millis.plusMillis(1));
    listeners.forEach(Runnable::run);
  }

  @Override
  public void onAdvance(Runnable listener) {
    listeners.add(listener);
  }

  /** The server and its clients have ended. */
  void removeListeners() {
    listeners.clear();
  }
}
