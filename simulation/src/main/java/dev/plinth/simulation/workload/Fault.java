package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.StoreControl;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/**
 * One fault: what it may disturb, its own choices, and how long it lasts.
 *
 * @param later runs a step after milliseconds, unless all is healed by then
 */
record Fault(
    Simulation simulation,
    SimulatedNetwork network,
    StoreControl store,
    SplittableRandom random,
    long millis,
    BiConsumer<Long, Runnable> later) {
  private static final long MILLI = 1_000_000;

  void later(long in, Runnable step) {
    later.accept(in, step);
  }

  /** After its time, healed or not. */
  void atEnd(Runnable step) {
    after(millis, step);
  }

  void after(long in, Runnable step) {
    simulation.world().after(in * MILLI, step);
  }

  long nanos(long of) {
    return of * MILLI;
  }
}
