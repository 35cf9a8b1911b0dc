package dev.plinth.testkit;

import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The scheduler of a {@link ManualClock}. Nothing ever runs inside {@code schedule} or {@code
 * execute}.
 */
final class ManualScheduler extends AbstractExecutorService implements ScheduledExecutorService {
  private final ManualClock clock;
  private final PriorityQueue<Task<?>> queue = new PriorityQueue<>();
  private long sequence;
  private boolean shutdown;

  ManualScheduler(ManualClock clock) {
    this.clock = clock;
  }

  /**
   * Runs tasks in the order they are due, moving the clock to each; new ones they add count too.
   */
  void runUntil(long end) {
    for (Task<?> task = poll(end); task != null; task = poll(end)) {
      clock.moveTo(task.due);
      task.run();
    }
  }

  private synchronized Task<?> poll(long end) {
    return !queue.isEmpty() && queue.peek().due <= end ? queue.poll() : null;
  }

  private synchronized <V> Task<V> add(Task<V> task) {
    if (shutdown) {
      throw new RejectedExecutionException("the scheduler is shut down");
    }
    queue.add(task);
    return task;
  }

  private synchronized void drop(Task<?> task) {
    queue.remove(task);
  }

  private synchronized long next() {
    return sequence++;
  }

  @Override
  public void execute(Runnable command) {
    schedule(command, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return add(new Task<>(Executors.callable(command), delay, 0, unit));
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    return add(new Task<>(callable, delay, 0, unit));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    return add(new Task<>(Executors.callable(command), initialDelay, period, unit));
  }

  /** The same as a fixed rate here: a task takes no time. */
  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return scheduleAtFixedRate(command, initialDelay, delay, unit);
  }

  @Override
  public synchronized void shutdown() {
    shutdown = true;
  }

  @Override
  public synchronized List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> waiting = List.copyOf(queue);
    queue.clear();
    return waiting;
  }

  @Override
  public synchronized boolean isShutdown() {
    return shutdown;
  }

  @Override
  public synchronized boolean isTerminated() {
    return shutdown && queue.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isTerminated();
  }

  private final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
    private final long order = next();
    private final long period;
    private long due;

    Task(Callable<V> work, long delay, long period, TimeUnit unit) {
      super(work);
      this.due = clock.now() + Math.max(0, unit.toNanos(delay));
      this.period = unit.toNanos(period);
    }

    @Override
    public void run() {
      if (!isPeriodic()) {
        super.run();
      } else if (runAndReset() && !isShutdown()) {
        due += period;
        add(this);
      }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      drop(this);
      return super.cancel(mayInterrupt);
    }

    @Override
    public boolean isPeriodic() {
      return period > 0;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - clock.now(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      Task<?> task = (Task<?>) other;
      int byTime = Long.compare(due, task.due);
      return byTime != 0 ? byTime : Long.compare(order, task.order);
    }
  }
}
