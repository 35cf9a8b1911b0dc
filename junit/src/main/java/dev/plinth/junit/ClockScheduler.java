package dev.plinth.junit;

import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The event loop of one client: one thread whose timers go by a {@link TestClock}. What is due runs
 * at once; the rest waits until the clock is moved.
 */
final class ClockScheduler extends AbstractExecutorService implements ScheduledExecutorService {
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final PriorityQueue<Task<?>> queue = new PriorityQueue<>();
  private final LongSupplier nanos;
  private final Thread thread;
  private long sequence;
  private boolean running;
  private int callsInFlight;
  private boolean shutdown;

  ClockScheduler(TestClock clock) {
    nanos = clock.nanos();
    thread = new Thread(this::run, "plinth-test-client");
    thread.setDaemon(true);
    thread.start();
    clock.onAdvance(this::runDue);
  }

  private void run() {
    Task<?> task = take();
    while (task != null) {
      task.run();
      task = take();
    }
  }

  /** The next task that is due; null after the end. */
  private synchronized Task<?> take() {
    running = false;
    notifyAll();
    while (!shutdown && !hasDue()) {
      try {
        wait();
      } catch (InterruptedException e) {
        // Of the task that ran last: only the end of the client ends its thread.
      }
    }
    running = true;
    return shutdown ? null : queue.poll();
  }

  private boolean hasDue() {
    return !queue.isEmpty() && queue.peek().due - nanos.getAsLong() <= 0;
  }

  /**
   * Returns when everything that is due has run, and the calls that it made are answered. Bounded:
   * a server that does not answer must not hold up the test for ever.
   */
  private synchronized void runDue() {
    notifyAll();
    long end = System.nanoTime() + MAX_WAIT_NANOS;
    long left = MAX_WAIT_NANOS;
    try {
      while (isBusy() && left > 0 && !isCurrent()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = end - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the test is to end
    }
  }

  private boolean isBusy() {
    return !shutdown && (running || callsInFlight > 0 || hasDue());
  }

  /** Whether the current thread is this one: then a call is made because time has passed. */
  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  synchronized void callStarted() {
    callsInFlight++;
  }

  synchronized void callEnded() {
    callsInFlight--;
    notifyAll();
  }

  private synchronized <V> Task<V> add(Callable<V> work, long delay, TimeUnit unit) {
    if (shutdown) {
      throw new RejectedExecutionException("shut down");
    }
    long due = nanos.getAsLong() + Math.max(0, unit.toNanos(delay));
    Task<V> task = new Task<>(work, due, sequence++);
    queue.add(task);
    notifyAll();
    return task;
  }

  @Override
  public void execute(Runnable command) {
    schedule(command, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return add(Executors.callable(command), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    return add(callable, delay, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    throw new UnsupportedOperationException("the client schedules each task by itself");
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException("the client schedules each task by itself");
  }

  @Override
  public void shutdown() {
    shutdownNow();
  }

  @Override
  public synchronized List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> waiting = List.copyOf(queue);
    queue.clear();
    notifyAll();
    return waiting;
  }

  @Override
  public synchronized boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return !thread.isAlive();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    unit.timedJoin(thread, timeout);
    return isTerminated();
  }

  private final class Task<V> extends FutureTask<V> implements ScheduledFuture<V> {
    private final long due;
    private final long order;

    Task(Callable<V> work, long due, long order) {
      super(work);
      this.due = due;
      this.order = order;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - nanos.getAsLong(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      Task<?> task = (Task<?>) other;
      return due != task.due ? Long.compare(due - task.due, 0) : Long.compare(order, task.order);
    }
  }
}
