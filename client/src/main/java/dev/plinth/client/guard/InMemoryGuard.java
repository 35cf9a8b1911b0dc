package dev.plinth.client.guard;

import java.util.function.Supplier;

/**
 * Guards one resource that lives in this process: an object, a file, a device. It remembers the
 * highest token for as long as the process lives, so a resource that outlives the process needs one
 * of the other guards.
 */
public final class InMemoryGuard {
  private final String resource;
  private long highest;
  private volatile Runnable onStale = () -> {};

  public InMemoryGuard(String resource) {
    this.resource = resource;
  }

  /**
   * Runs the task at each refusal, such as {@link dev.plinth.client.PlinthClient#fenceRejected}.
   */
  public InMemoryGuard onStale(Runnable task) {
    onStale = task;
    return this;
  }

  /**
   * False if a higher token was here. What follows is not covered: a holder that is admitted and
   * then pauses can still be late. {@link #write} covers both.
   */
  public synchronized boolean admit(long token) {
    if (token < highest) {
      onStale.run();
      return false;
    }
    highest = token;
    return true;
  }

  /**
   * Writes while nobody else does.
   *
   * @throws StaleTokenException if a higher token was here; then nothing was written
   */
  public synchronized <T> T write(long token, Supplier<T> action) {
    if (!admit(token)) {
      throw new StaleTokenException(resource, token);
    }
    return action.get();
  }

  public synchronized void write(long token, Runnable action) {
    if (!admit(token)) {
      throw new StaleTokenException(resource, token);
    }
    action.run();
  }
}
