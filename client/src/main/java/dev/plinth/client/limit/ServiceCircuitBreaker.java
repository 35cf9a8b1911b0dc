package dev.plinth.client.limit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether the service answers. After some calls in a row that it did not, callers are not kept
 * waiting for it one by one: every now and then one of them finds out how it is.
 */
final class ServiceCircuitBreaker {
  private static final int SILENCES = 3;
  private static final long PROBE_EVERY = Duration.ofMillis(250).toNanos();

  private final AtomicInteger silences = new AtomicInteger();
  private final AtomicLong nextProbe = new AtomicLong();

  boolean mayCall(long now) {
    if (silences.get() < SILENCES) {
      return true;
    }
    long due = nextProbe.get();
    return now - due >= 0 && nextProbe.compareAndSet(due, now + PROBE_EVERY);
  }

  void answered() {
    if (silences.get() != 0) {
      silences.set(0);
    }
  }

  void silent(long now) {
    if (silences.incrementAndGet() >= SILENCES) {
      nextProbe.set(now + PROBE_EVERY);
    }
  }
}
