package dev.plinth.client;

import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What a session lives by.
 *
 * @param nanos the monotonic clock
 * @param callbacks runs the application's callbacks, which may block, so never on the own thread
 */
record Rhythm(LongSupplier nanos, OwnThread thread, Executor callbacks, RetryRule rule) {}
