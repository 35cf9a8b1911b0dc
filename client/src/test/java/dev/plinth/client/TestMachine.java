package dev.plinth.client;

import dev.plinth.machine.ForwardingMachine;
import dev.plinth.machine.Machine;
import dev.plinth.machine.TimeSource;
import dev.plinth.testkit.ManualClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/** The system's machine with clocks, and maybe timers, that a test moves. */
public final class TestMachine extends ForwardingMachine {
  private final ScheduledExecutorService scheduler;

  private TestMachine(LongSupplier nanos, InstantSource wall, ScheduledExecutorService scheduler) {
    super(Machine.system().withTime(new Clocks(nanos, wall)));
    this.scheduler = scheduler;
  }

  /** Both clocks and the timers are this clock's. */
  public static Machine of(ManualClock clock) {
    return of(clock.nanos(), clock, clock.scheduler());
  }

  public static Machine of(
      LongSupplier nanos, InstantSource wall, ScheduledExecutorService scheduler) {
    return new TestMachine(nanos, wall, scheduler);
  }

  /** Only the time of day is the test's. */
  public static Machine withWall(InstantSource wall) {
    return Machine.system().withTime(new Clocks(System::nanoTime, wall));
  }

  @Override
  public ScheduledExecutorService scheduler(String name) {
    return scheduler;
  }

  private record Clocks(LongSupplier nanos, InstantSource wall) implements TimeSource {
    @Override
    public Instant instant() {
      return wall.instant();
    }

    @Override
    public void onAdvance(Runnable listener) {}
  }
}
