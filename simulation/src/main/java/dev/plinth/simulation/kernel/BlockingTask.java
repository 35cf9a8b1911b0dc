package dev.plinth.simulation.kernel;

import java.util.concurrent.CompletableFuture;

/** A task on a thread of a process, which may wait and can be interrupted. */
public final class BlockingTask {
  private final SimulatedProcess process;
  private final SimulatedThread thread;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  BlockingTask(SimulatedProcess process, String name) {
    this.process = process;
    this.thread = new SimulatedThread(process, name);
  }

  void start(Runnable body) {
    process.after(0, () -> thread.run(() -> run(body)));
  }

  private void run(Runnable body) {
    try {
      body.run();
      done.complete(null);
    } catch (ProcessKilledError e) {
      throw e;
    } catch (Throwable e) {
      done.completeExceptionally(e);
    }
  }

  /** Ends its wait, or the next one if it does not wait now. Held back while it is paused. */
  public void interrupt() {
    process.after(
        0,
        () -> {
          if (!done.isDone()) {
            thread.interrupt();
          }
        });
  }

  /** Complete when it has ended; never, if its process is killed before. */
  public CompletableFuture<Void> done() {
    return done;
  }
}
