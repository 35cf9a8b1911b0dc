package dev.plinth.ratelimit.core;

import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Where limits are decided.
 *
 * @param clock the wall clock, for calendar windows while the store does not tell the time
 * @param nanos the monotonic clock
 * @param scheduler for time-outs and for what is given back when it is idle; shut down by whoever
 *     made it
 * @param nodes how many share the limits while each decides alone
 * @param localRowBytes memory that the budgets of one that decides alone may take
 */
public record Node(
    InstantSource clock,
    LongSupplier nanos,
    ScheduledExecutorService scheduler,
    IntSupplier nodes,
    long localRowBytes,
    LimitEvents events) {}
