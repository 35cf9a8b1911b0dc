package dev.plinth.server.log;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Decides which of many like events is logged: at most one a second, with the number of events
 * since the line before. For events that any caller can cause as often as it likes.
 */
public final class LogThrottle {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanos;
  private final AtomicLong pending = new AtomicLong();
  private final AtomicLong last;

  public LogThrottle(LongSupplier nanos) {
    this.nanos = nanos;
    this.last = new AtomicLong(nanos.getAsLong() - INTERVAL_NANOS);
  }

  /** How many events the line of this one stands for; empty if it gets no line. */
  public OptionalLong next() {
    pending.incrementAndGet();
    long now = nanos.getAsLong();
    long before = last.get();
    if (now - before < INTERVAL_NANOS || !last.compareAndSet(before, now)) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(pending.getAndSet(0));
  }
}
