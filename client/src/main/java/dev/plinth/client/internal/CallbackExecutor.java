package dev.plinth.client.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the application's callbacks. It neither blocks nor throws, whatever the callback or the
 * executor that the application chose does: both are called on threads of the client's own, never
 * on the thread of whoever has something to tell. A callback that the chosen executor refuses runs
 * on such a thread instead, since nobody else would tell of a loss.
 */
public final class CallbackExecutor implements Executor {
  private static final Logger log = System.getLogger("plinth.client");

  private final Executor chosen;
  private final Executor own;

  /**
   * @param own threads of the client's own, as many as it takes
   * @param chosen the application's, or the same
   */
  public CallbackExecutor(Executor own, Executor chosen) {
    this.own = own;
    this.chosen = chosen;
  }

  @Override
  public void execute(Runnable callback) {
    Runnable task = chosen == own ? () -> run(callback) : () -> pass(callback);
    try {
      own.execute(task);
    } catch (Throwable e) { // such as an OutOfMemoryError for want of a thread
      log.log(Level.ERROR, "a callback could not be run", e);
    }
  }

  private void pass(Runnable callback) {
    AtomicBoolean begun = new AtomicBoolean();
    try {
      chosen.execute(
          () -> {
            begun.set(true);
            run(callback);
          });
    } catch (Throwable e) {
      log.log(Level.WARNING, "the executor of callbacks refused one; it runs without it", e);
      if (!begun.get()) {
        run(callback);
      }
    }
  }

  private static void run(Runnable callback) {
    try {
      callback.run();
    } catch (Throwable e) {
      log.log(Level.ERROR, "a callback failed", e);
    }
  }
}
