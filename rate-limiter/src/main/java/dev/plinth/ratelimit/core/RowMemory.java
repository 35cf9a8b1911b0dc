package dev.plinth.ratelimit.core;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that rows of budgets of all domains may take, by estimate. Only rows that are over are
 * dropped, since one that is still in use would begin anew and admit more than its bound. While
 * live rows fill the memory, a request that needs another one is not decided.
 *
 * <p>A domain has at most half of what the others leave: whatever one of them does, there is room
 * for the next.
 */
public final class RowMemory {
  private static final int ROW_BYTES = 360;

  private final AtomicLong used = new AtomicLong();
  private final long most;

  public RowMemory(long most) {
    this.most = most;
  }

  /** What one domain takes of it; its rows are changed by one thread at a time. */
  static final class OfDomain {
    private final RowMemory all;
    private long mine;

    private OfDomain(RowMemory all) {
      this.all = all;
    }

    boolean isFull() {
      long others = all.used.get() - mine;
      return mine >= (all.most - others) / 2;
    }

    void added(String key) {
      changed(bytesOf(key));
    }

    void removed(String key) {
      changed(-bytesOf(key));
    }

    /** The value of a row grew or shrank. */
    void changed(long bytes) {
      mine += bytes;
      all.used.addAndGet(bytes);
    }

    long used() {
      return mine;
    }

    /** What a row takes without its value. */
    static long bytesOf(String key) {
      return ROW_BYTES + 2L * key.length();
    }
  }

  OfDomain ofDomain() {
    return new OfDomain(this);
  }

  public long used() {
    return used.get();
  }

  public long most() {
    return most;
  }
}
