package dev.plinth.client;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Runs tasks one after the other on threads of another executor. */
final class InOrder implements Executor {
  private final Executor threads;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private boolean running;

  InOrder(Executor threads) {
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (waiting) {
      waiting.add(task);
      if (running) {
        return;
      }
      running = true;
    }
    threads.execute(this::runAll);
  }

  private void runAll() {
    for (Runnable task = next(); task != null; task = next()) {
      try {
        task.run();
      } catch (RuntimeException e) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e); // the others still run
      }
    }
  }

  private Runnable next() {
    synchronized (waiting) {
      Runnable task = waiting.poll();
      running = task != null;
      return task;
    }
  }
}
