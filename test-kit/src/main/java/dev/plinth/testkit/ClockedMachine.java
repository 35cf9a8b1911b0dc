package dev.plinth.testkit;

import dev.plinth.machine.ForwardingMachine;
import dev.plinth.machine.Machine;
import dev.plinth.machine.TimeSource;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/** The machine of this process, with its real threads, but with clocks that a test gives. */
public final class ClockedMachine extends ForwardingMachine {
  private final TimeSource time;
  private final LongSupplier nanos;
  private final InstantSource wall;

  private ClockedMachine(TimeSource time, LongSupplier nanos, InstantSource wall) {
    super(Machine.system());
    this.time = time;
    this.nanos = nanos;
    this.wall = wall;
  }

  /** All clocks are one, which the test moves. */
  public static Machine of(ManualClock clock) {
    return new ClockedMachine(clock, clock.nanos(), clock);
  }

  /** Only the time of day is given. */
  public static Machine ofWall(InstantSource wall) {
    Machine real = Machine.system();
    return new ClockedMachine(real.time(), real.nanos(), wall);
  }

  @Override
  public TimeSource time() {
    return time;
  }

  @Override
  public LongSupplier nanos() {
    return nanos;
  }

  @Override
  public InstantSource wall() {
    return wall;
  }
}
