package dev.plinth.shards.store.etcd;

import java.util.concurrent.TimeUnit;

/** A moment by both clocks of this machine. */
record ClockReading(long nanos, long wallMillis) {
  /**
   * By how much the wall clock has gone further than the monotonic one since then: by as much as
   * the machine slept, where the monotonic clock stands still meanwhile, or as somebody set the
   * wall clock forward. Negative where it was set back.
   */
  long suspendedNanos(ClockReading since) {
    return TimeUnit.MILLISECONDS.toNanos(wallMillis - since.wallMillis) - (nanos - since.nanos);
  }
}
