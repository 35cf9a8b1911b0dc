package dev.plinth.client.internal;

import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The clocks, threads and schedules that all parts of a client share.
 *
 * @param nanos the monotonic clock
 * @param wall only to notice that the machine slept
 * @param callbacks runs the application's callbacks, which may block, so never on the event loop
 */
public record ClientEnvironment(
    LongSupplier nanos,
    InstantSource wall,
    ClientEventLoop loop,
    Executor callbacks,
    RetrySchedule retries,
    ClientEvents events) {
  public ClockReading now() {
    return new ClockReading(nanos.getAsLong(), wall.millis());
  }
}
