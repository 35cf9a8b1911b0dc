package dev.plinth.ratelimit.core;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that rows of budgets of all domains may take, by estimate. Only rows that are over are
 * dropped, since one that is still in use would begin anew and admit more than its bound. While
 * live rows fill the memory, a request that needs another one is not decided.
 */
public final class RowMemory {
  private static final int ROW_BYTES = 360;

  private final AtomicLong used = new AtomicLong();
  private final long most;

  public RowMemory(long most) {
    this.most = most;
  }

  /** A part of the heap: one by {@code share}. */
  public static RowMemory ofHeap(int share) {
    return new RowMemory(Runtime.getRuntime().maxMemory() / share);
  }

  boolean isFull() {
    return used.get() >= most;
  }

  void added(String key) {
    used.addAndGet(ROW_BYTES + 2L * key.length());
  }

  void removed(String key) {
    used.addAndGet(-ROW_BYTES - 2L * key.length());
  }

  /** The value of a row grew or shrank. */
  void changed(int bytes) {
    used.addAndGet(bytes);
  }

  public long used() {
    return used.get();
  }

  public long most() {
    return most;
  }
}
