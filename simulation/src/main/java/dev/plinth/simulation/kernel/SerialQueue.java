package dev.plinth.simulation.kernel;

import java.util.ArrayDeque;
import java.util.Deque;

/** Tasks of one thread of a process, in order. Each keeps the thread busy for its cost. */
final class SerialQueue {
  private final SimulatedProcess process;
  private final long costNanos;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private boolean scheduled;
  private long busyUntil;

  SerialQueue(SimulatedProcess process, long costNanos) {
    this.process = process;
    this.costNanos = costNanos;
  }

  void add(Runnable task) {
    tasks.add(task);
    schedule();
  }

  private void schedule() {
    if (!scheduled && !tasks.isEmpty()) {
      scheduled = true;
      process.after(busyUntil - process.simulation().now(), this::runOne);
    }
  }

  private void runOne() {
    scheduled = false;
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
