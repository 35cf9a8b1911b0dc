package dev.plinth.client.internal;

import dev.plinth.machine.Machine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A lock that may be held over a call. Those who want it wait by the machine, unlike those who want
 * a monitor, so a simulated machine runs other work meanwhile. Not reentrant.
 */
public final class CallLock {
  private final Machine machine;
  // Completed by the holder when it is free again; null while it is.
  private final AtomicReference<CompletableFuture<Void>> holder = new AtomicReference<>();

  public CallLock(Machine machine) {
    this.machine = machine;
  }

  public void lock() throws InterruptedException {
    CompletableFuture<Void> self = new CompletableFuture<>();
    CompletableFuture<Void> other = holder.compareAndExchange(null, self);
    while (other != null) {
      try {
        machine.await(other);
      } catch (ExecutionException e) {
        throw new IllegalStateException("a lock is only ever freed", e);
      }
      other = holder.compareAndExchange(null, self);
    }
  }

  /** By its holder alone. */
  public void unlock() {
    holder.getAndSet(null).complete(null);
  }
}
