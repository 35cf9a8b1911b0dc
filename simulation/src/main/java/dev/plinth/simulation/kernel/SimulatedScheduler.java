package dev.plinth.simulation.kernel;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** One thread of a process that never blocks, as a queue of tasks. */
final class SimulatedScheduler extends AbstractExecutorService implements ScheduledExecutorService {
  private static final long TASK_NANOS = 5_000;

  private final SimulatedMachine machine;
  private final SerialQueue queue;
  private final Set<SimulatedTimer<?>> timers = new LinkedHashSet<>();
  private boolean shutdown;

  SimulatedScheduler(SimulatedMachine machine, String name) {
    this.machine = machine;
    this.queue = new SerialQueue(machine.process(), name, TASK_NANOS);
  }

  @Override
  public void execute(Runnable task) {
    if (shutdown) {
      throw new RejectedExecutionException("shut down");
    }
    queue.add(task);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return start(new SimulatedTimer<>(machine, this, task), unit.toNanos(delay));
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    return start(new SimulatedTimer<>(machine, this, task), unit.toNanos(delay));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long first, long period, TimeUnit unit) {
    SimulatedTimer<?> timer = new SimulatedTimer<>(machine, this, task);
    timer.repeat(unit.toNanos(period), true);
    return start(timer, unit.toNanos(first));
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long first, long delay, TimeUnit unit) {
    SimulatedTimer<?> timer = new SimulatedTimer<>(machine, this, task);
    timer.repeat(unit.toNanos(delay), false);
    return start(timer, unit.toNanos(first));
  }

  private <V> SimulatedTimer<V> start(SimulatedTimer<V> timer, long delay) {
    if (shutdown) {
      throw new RejectedExecutionException("shut down");
    }
    timers.add(timer);
    timer.start(delay);
    return timer;
  }

  void due(SimulatedTimer<?> timer) {
    if (!timer.isCancelled() && timers.contains(timer)) {
      queue.add(timer);
    }
  }

  void ended(SimulatedTimer<?> timer) {
    timers.remove(timer);
  }

  /** As the JDK's: what was scheduled for later still runs, what repeats does not. */
  @Override
  public void shutdown() {
    shutdown = true;
    List.copyOf(timers).stream()
        .filter(SimulatedTimer::isPeriodic)
        .forEach(timer -> timer.cancel(false));
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> left = new ArrayList<>(queue.tasks());
    queue.clear();
    left.addAll(timers);
    List.copyOf(timers).forEach(SimulatedTimer::stop);
    timers.clear();
    return left;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && queue.isEmpty() && timers.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return machine.awaitUntil(this::isTerminated, unit.toNanos(timeout));
  }
}
