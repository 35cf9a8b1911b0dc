package dev.plinth.client.internal;

import java.time.Duration;

/**
 * A point in time by both clocks. Deadlines go by the monotonic one alone, which may stand still
 * while the machine sleeps; the other one only tells that this happened.
 */
public record ClockReading(long nanos, long wallMillis) {
  /** How much further the wall clock moved since than the monotonic one; negative if it did not. */
  public Duration suspendedSince(ClockReading earlier) {
    return Duration.ofMillis(wallMillis - earlier.wallMillis)
        .minus(Duration.ofNanos(nanos - earlier.nanos));
  }
}
