package dev.plinth.client;

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
record Rhythm(
    LongSupplier nanos,
    InstantSource wall,
    OwnThread thread,
    Executor callbacks,
    RetryRule rule,
    ClientEvents events) {
  Moment now() {
    return new Moment(nanos.getAsLong(), wall.millis());
  }
}
