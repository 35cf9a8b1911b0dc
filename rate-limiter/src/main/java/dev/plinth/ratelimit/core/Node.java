package dev.plinth.ratelimit.core;

import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Where limits are decided.
 *
 * @param nanos the monotonic clock
 * @param scheduler for time-outs and for what is given back when it is idle; shut down by whoever
 *     made it
 * @param nodes how many share the limits while each decides alone
 */
public record Node(
    LongSupplier nanos,
    ScheduledExecutorService scheduler,
    IntSupplier nodes,
    LimitEvents events) {}
