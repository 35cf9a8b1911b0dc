package dev.plinth.simulation.kernel;

import java.util.ArrayDeque;
import java.util.Deque;

/** Tasks of one thread of a process, in order. Each keeps the thread busy for its cost. */
final class SerialQueue implements Stallable {
  private final SimulatedProcess process;
  private final String name;
  private final long costNanos;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private boolean scheduled;
  private long busyUntil;
  private long stalledUntil;

  SerialQueue(SimulatedProcess process, String name, long costNanos) {
    this.process = process;
    this.name = name;
    this.costNanos = costNanos;
    process.add(this);
  }

  void add(Runnable task) {
    tasks.add(task);
    schedule();
  }

  private void schedule() {
    if (!scheduled && !tasks.isEmpty()) {
      scheduled = true;
      long free = Math.max(busyUntil, stalledUntil);
      process.after(free - process.simulation().now(), this::runOne);
    }
  }

  private void runOne() {
    scheduled = false;
    if (process.simulation().now() < stalledUntil) {
      schedule();
      return;
    }
    Runnable task = tasks.poll();
    busyUntil = process.simulation().now() + process.cost(costNanos);
    try {
      if (task != null) {
        task.run();
      }
    } catch (Throwable thrown) {
      process.simulation().uncaught(process, thrown);
    } finally {
      schedule();
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void stallUntil(long time) {
    stalledUntil = time;
  }

  boolean isEmpty() {
    return tasks.isEmpty();
  }

  void clear() {
    tasks.clear();
  }

  Deque<Runnable> tasks() {
    return tasks;
  }
}
