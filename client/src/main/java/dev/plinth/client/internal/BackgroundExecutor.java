package dev.plinth.client.internal;

import dev.plinth.machine.Machine;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;

/**
 * Threads of a client's own for tasks that may block, as many as it takes. Closed, it lets its
 * threads end with what they do, and refuses nothing: a callback that is late still runs.
 */
public final class BackgroundExecutor implements Executor, AutoCloseable {
  private static final String NAME = "plinth-client-background";

  private final Machine machine;
  private final ExecutorService threads;

  public BackgroundExecutor(Machine machine) {
    this.machine = machine;
    this.threads = machine.workers(NAME);
  }

  @Override
  public void execute(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) { // closed
      ExecutorService own = machine.workers(NAME);
      own.execute(task);
      own.shutdown();
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
