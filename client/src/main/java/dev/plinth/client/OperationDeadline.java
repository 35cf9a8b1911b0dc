package dev.plinth.client;

import java.time.Duration;
import java.util.function.LongSupplier;

/** The time that a caller gives for something, over all attempts. */
final class OperationDeadline {
  private final LongSupplier nanos;
  private final long end;

  OperationDeadline(Duration time, LongSupplier nanos) {
    this.nanos = nanos;
    this.end = nanos.getAsLong() + time.toNanos();
  }

  /** Never negative. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, end - nanos.getAsLong()));
  }

  /** How long ago it was spent. */
  Duration overdrawn() {
    return Duration.ofNanos(Math.max(0, nanos.getAsLong() - end));
  }

  /** The same, or that much from now on if less is left: for a step that must get its chance. */
  OperationDeadline atLeast(Duration time) {
    return new OperationDeadline(ClientWire.longer(left(), time), nanos);
  }

  boolean isSpent() {
    return left().isZero();
  }
}
