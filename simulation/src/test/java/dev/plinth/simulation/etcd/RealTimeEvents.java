package dev.plinth.simulation.etcd;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs events of the model on one thread, at the time that the machine's clock shows. While an
 * event runs, {@link #now} stands at the time for which it was due: so what one event schedules
 * before something else also runs before it, as on virtual time.
 */
final class RealTimeEvents extends ScheduledThreadPoolExecutor {
  private final Queue<Event> queue = new PriorityBlockingQueue<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong events = new AtomicLong();
  private volatile Thread thread;
  private volatile long now = System.nanoTime();

  RealTimeEvents() {
    super(1, task -> new Thread(task, "etcd-model"));
    submit(() -> thread = Thread.currentThread());
  }

  /** For events only. */
  long now() {
    return now;
  }

  /** What events have thrown: each is a fault of the model. */
  Queue<Throwable> failures() {
    return failures;
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    long from = Thread.currentThread() == thread ? now : System.nanoTime();
    Event event = new Event(task, from + unit.toNanos(delay));
    queue.add(event);
    super.schedule(this::runDue, delay, unit);
    return event;
  }

  private void runDue() {
    Event first = queue.peek();
    while (first != null && first.due - System.nanoTime() <= 0) {
      queue.remove(first);
      now = Math.max(now, first.due);
      first.run();
      first = queue.peek();
    }
  }

  private final class Event extends FutureTask<Void> implements ScheduledFuture<Void> {
    private final long due;
    private final long number = events.incrementAndGet();

    Event(Runnable task, long due) {
      super(task, null);
      this.due = due;
    }

    @Override
    protected void setException(Throwable thrown) {
      failures.add(thrown);
      super.setException(thrown);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      Event event = (Event) other;
      return due == event.due ? Long.compare(number, event.number) : Long.compare(due, event.due);
    }
  }
}
