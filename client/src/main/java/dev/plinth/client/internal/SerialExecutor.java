package dev.plinth.client.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Runs tasks one after the other on threads of another executor. */
public final class SerialExecutor implements Executor {
  private static final Logger log = System.getLogger("plinth.client");

  private final Executor threads;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private boolean running;

  public SerialExecutor(Executor threads) {
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
    try {
      threads.execute(this::runAll);
    } catch (Throwable e) { // the next task takes this one along
      synchronized (waiting) {
        running = false;
      }
      log.log(Level.ERROR, "callbacks could not be run", e);
    }
  }

  /** Tasks that have not begun. */
  public int waiting() {
    synchronized (waiting) {
      return waiting.size();
    }
  }

  private void runAll() {
    for (Runnable task = next(); task != null; task = next()) {
      try {
        task.run();
      } catch (Throwable e) { // also an Error: the others still run
        log.log(Level.ERROR, "a callback failed", e);
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
