package dev.plinth.ratelimit.store.redis;

import java.util.function.LongSupplier;

/**
 * Guesses what Redis's clock shows, from the last answer and the monotonic time since. A wrong
 * guess costs a second trip, nothing else: the script reads its own clock.
 */
final class RedisClockEstimate {
  private record Mark(long micros, long nanos) {}

  private final LongSupplier nanos;
  private volatile Mark last;

  RedisClockEstimate(LongSupplier nanos) {
    this.nanos = nanos;
    this.last = new Mark(0, nanos.getAsLong());
  }

  void saw(long micros) {
    last = new Mark(micros, nanos.getAsLong());
  }

  long micros() {
    Mark mark = last;
    return mark.micros + (nanos.getAsLong() - mark.nanos) / 1000;
  }
}
