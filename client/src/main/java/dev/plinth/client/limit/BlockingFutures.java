package dev.plinth.client.limit;

import dev.plinth.machine.Machine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** How a thread waits for what comes on another. */
final class BlockingFutures {
  private BlockingFutures() {}

  /** Gives it up if interrupted. */
  static <T> T interruptibly(Machine machine, CompletableFuture<T> future)
      throws InterruptedException {
    try {
      return machine.await(future);
    } catch (InterruptedException e) {
      future.cancel(false);
      throw e;
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  /** For what surely comes soon. */
  static <T> T uninterruptibly(Machine machine, CompletableFuture<T> future) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return machine.await(future);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          throw failure(e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException failure(ExecutionException e) {
    if (e.getCause() instanceof RuntimeException cause) {
      return cause;
    }
    return new IllegalStateException(e.getCause());
  }
}
