package dev.plinth.client.limit;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Says what is wrong, but not at every call. */
final class ThrottledLogger {
  private static final Logger log = System.getLogger("plinth.client");
  private static final long EVERY = Duration.ofSeconds(10).toNanos();

  private final LongSupplier nanos;
  private final AtomicLong next;

  ThrottledLogger(LongSupplier nanos) {
    this.nanos = nanos;
    this.next = new AtomicLong(nanos.getAsLong());
  }

  void warn(String what, Throwable why) {
    long now = nanos.getAsLong();
    long due = next.get();
    if (now - due >= 0 && next.compareAndSet(due, now + EVERY)) {
      log.log(Level.WARNING, what, why);
    }
  }
}
