package dev.plinth.ratelimit.pipeline;

import dev.plinth.machine.Machine;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Machine, scheduler, node count and events of the node that decides.
 *
 * @param machine by whose time budgets go
 * @param scheduler for time-outs and for leases that are returned when idle; shut down by whoever
 *     made it
 * @param nodes how many share the limits while each decides locally
 * @param localRowBytes memory that the budgets of one that decides locally may take
 */
public record NodeContext(
    Machine machine,
    ScheduledExecutorService scheduler,
    IntSupplier nodes,
    long localRowBytes,
    LimitEvents events) {
  /** The wall clock, for calendar windows while the store does not tell the time. */
  InstantSource clock() {
    return machine.time();
  }

  /** The monotonic clock. */
  LongSupplier nanos() {
    return machine.time().nanos();
  }
}
