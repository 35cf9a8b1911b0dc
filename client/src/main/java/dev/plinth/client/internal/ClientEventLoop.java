package dev.plinth.client.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The client's one thread for heartbeats and deadlines, so that no pool of the application's can
 * starve them. Nothing on it blocks. What comes after its end is dropped: an answer to a client
 * that is closed.
 */
public final class ClientEventLoop implements Executor {
  private static final Logger log = System.getLogger("plinth.client");

  private final ScheduledExecutorService timer;

  public ClientEventLoop(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  @Override
  public void execute(Runnable task) {
    after(Duration.ZERO, task);
  }

  public void after(Duration delay, Runnable task) {
    try {
      timer.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.log(Level.DEBUG, "dropped after close");
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) { // also an Error: the next task must run
      log.log(Level.ERROR, "a task of the client failed", e);
    }
  }
}
