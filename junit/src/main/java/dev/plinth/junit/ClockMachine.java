package dev.plinth.junit;

import dev.plinth.machine.ForwardingMachine;
import dev.plinth.machine.Machine;
import java.util.concurrent.ScheduledExecutorService;

/** The machine of one client whose time and timers are those of a {@link TestClock}. */
final class ClockMachine extends ForwardingMachine {
  private final ClockScheduler scheduler;

  ClockMachine(TestClock clock, ClockScheduler scheduler) {
    super(Machine.system().withTime(clock));
    this.scheduler = scheduler;
  }

  /** The client has one, for its event loop. */
  @Override
  public ScheduledExecutorService scheduler(String name) {
    return scheduler;
  }
}
