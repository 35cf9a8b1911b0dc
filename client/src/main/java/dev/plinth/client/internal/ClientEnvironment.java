package dev.plinth.client.internal;

import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What a session lives by.
 *
 * @param nanos the monotonic clock
 * @param wall only to notice that the machine slept
 * @param callbacks runs the application's callbacks, which may block, so never on the own thread
 */
public record ClientEnvironment(
    LongSupplier nanos,
    InstantSource wall,
    ClientEventLoop thread,
    Executor callbacks,
    RetrySchedule rule,
    ClientEvents events) {
  public ClockReading now() {
    return new ClockReading(nanos.getAsLong(), wall.millis());
  }
}
