package dev.plinth.simulation.kernel;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A task of a scheduler for later, by the monotonic clock of its machine. */
final class SimulatedTimer<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
  private final SimulatedMachine machine;
  private final SimulatedScheduler scheduler;
  private ScheduledEvent event;
  private long due;
  private long period;
  private boolean atRate;

  SimulatedTimer(SimulatedMachine machine, SimulatedScheduler scheduler, Runnable task) {
    super(task, null);
    this.machine = machine;
    this.scheduler = scheduler;
  }

  SimulatedTimer(SimulatedMachine machine, SimulatedScheduler scheduler, Callable<V> task) {
    super(task);
    this.machine = machine;
    this.scheduler = scheduler;
  }

  void repeat(long nanos, boolean fixedRate) {
    period = Math.max(1, nanos);
    atRate = fixedRate;
  }

  void start(long delay) {
    due = machine.process().clock().nanos() + Math.max(0, delay);
    schedule();
  }

  private void schedule() {
    long left = due - machine.process().clock().nanos();
    event = machine.process().after(machine.process().clock().toVirtual(left), this::check);
  }

  /** The clock may have stood or changed its pace meanwhile. */
  private void check() {
    if (due - machine.process().clock().nanos() > 0) {
      schedule();
    } else {
      scheduler.due(this);
    }
  }

  @Override
  public void run() {
    if (!isPeriodic()) {
      scheduler.ended(this);
      super.run();
    } else if (runAndReset()) {
      due = atRate ? due + period : machine.process().clock().nanos() + period;
      schedule();
    }
  }

  @Override
  protected void done() {
    stop();
    scheduler.ended(this);
  }

  void stop() {
    if (event != null) {
      event.cancel();
    }
  }

  @Override
  public boolean isPeriodic() {
    return period > 0;
  }

  @Override
  public long getDelay(TimeUnit unit) {
    return unit.convert(due - machine.process().clock().nanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public int compareTo(Delayed other) {
    return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
  }
}
