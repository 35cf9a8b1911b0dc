package dev.plinth.shards.store.etcd;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time and in order, on the thread that brings one or on one that is at it
 * already. Nobody ever waits, and a task that brings another does not run it inside itself.
 */
final class Serial implements Executor {
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger left = new AtomicInteger();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    if (left.getAndIncrement() == 0) {
      do {
        run(tasks.remove());
      } while (left.decrementAndGet() > 0);
    }
  }

  /** One that throws is a bug, but must not leave those behind it waiting for ever. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }
}
