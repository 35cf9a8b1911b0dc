package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.engine.Budgets;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Its lock is its own; nothing but arithmetic is done under it. */
record EmbeddedDomain(String name, Budgets budgets) {
  private static final int FEW = 500;
  private static final int ROUNDS_OF_ALL = 60;

  /** Drops what is over, of a sixtieth of all rows. */
  void sweep(LongSupplier micros) {
    int rows;
    synchronized (this) {
      rows = budgets.size();
    }
    for (int left = rows / ROUNDS_OF_ALL + FEW; left > 0; left -= FEW) {
      synchronized (this) {
        budgets.sweep(FEW, micros.getAsLong());
      }
      LockSupport.parkNanos(1); // whoever waits for the lock is next, not this thread again
    }
  }
}
