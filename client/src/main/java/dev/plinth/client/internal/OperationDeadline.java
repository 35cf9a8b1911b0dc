package dev.plinth.client.internal;

import java.time.Duration;
import java.util.function.LongSupplier;

/** The time that a caller gives for something, over all attempts. */
public final class OperationDeadline {
  private final LongSupplier nanos;
  private final long end;

  public OperationDeadline(Duration time, LongSupplier nanos) {
    this.nanos = nanos;
    this.end = nanos.getAsLong() + ClientWire.nanos(time);
  }

  /** Never negative. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, end - nanos.getAsLong()));
  }

  /** How long ago it was spent. */
  public Duration overdrawn() {
    return Duration.ofNanos(Math.max(0, nanos.getAsLong() - end));
  }

  /** The same, or that much from now on if less is left: for a step that must get its chance. */
  public OperationDeadline atLeast(Duration time) {
    return new OperationDeadline(ClientWire.longer(left(), time), nanos);
  }

  public boolean isSpent() {
    return left().isZero();
  }
}
