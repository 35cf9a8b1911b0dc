package dev.plinth.ratelimit.pipeline;

import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Clocks, scheduler, node count and events of the node that decides.
 *
 * @param clock the wall clock, for calendar windows while the store does not tell the time
 * @param nanos the monotonic clock
 * @param scheduler for time-outs and for leases that are returned when idle; shut down by whoever
 *     made it
 * @param nodes how many share the limits while each decides locally
 * @param localRowBytes memory that the budgets of one that decides locally may take
 */
public record NodeContext(
    InstantSource clock,
    LongSupplier nanos,
    ScheduledExecutorService scheduler,
    IntSupplier nodes,
    long localRowBytes,
    LimitEvents events) {}
