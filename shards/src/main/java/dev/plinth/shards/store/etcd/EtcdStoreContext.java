package dev.plinth.shards.store.etcd;

import dev.plinth.machine.Machine;
import io.grpc.SynchronizationContext;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/** What the parts of one store share: settings, machine, background thread, meters. */
record EtcdStoreContext(
    EtcdSettings settings,
    Machine machine,
    ScheduledExecutorService scheduler,
    StoreMetrics metrics) {
  private static final int READS = 3;
  private static final long READ_NANOS = 5_000_000;

  /**
   * Runs tasks one at a time and in order, on the thread that brings one or on one that is at it
   * already. A task that throws is a bug, but must not leave those behind it waiting for ever.
   */
  static SynchronizationContext inOrder() {
    return new SynchronizationContext(
        (thread, thrown) -> thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown));
  }

  LongSupplier nanos() {
    return machine.nanos();
  }

  /** A thread that was held up between two clocks would take it for a sleep: it reads again. */
  ClockReading now() {
    LongSupplier nanos = machine.nanos();
    InstantSource wall = machine.wall();
    long before = nanos.getAsLong();
    long millis = wall.millis();
    long after = nanos.getAsLong();
    for (int again = 0; again < READS && after - before > READ_NANOS; again++) {
      before = nanos.getAsLong();
      millis = wall.millis();
      after = nanos.getAsLong();
    }
    return new ClockReading(before, millis);
  }
}
