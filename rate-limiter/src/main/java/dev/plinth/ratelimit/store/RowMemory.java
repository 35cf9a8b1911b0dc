package dev.plinth.ratelimit.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that rows of budgets of all domains may take, by estimate. Only rows that are over are
 * dropped, since one that is still in use would be reset and admit more than its bound. While live
 * rows fill the memory, a request that needs another one is not decided.
 *
 * <p>A domain has at most half of what the others leave: whatever one of them does, there is room
 * for the next.
 */
public final class RowMemory {
  private static final int ROW_BYTES = 360;

  private final AtomicLong used = new AtomicLong();
  private final long max;

  public RowMemory(long max) {
    this.max = max;
  }

  /** What one domain takes of it; its rows are changed by one thread at a time. */
  public static final class DomainShare {
    private final RowMemory all;
    private long mine;

    private DomainShare(RowMemory all) {
      this.all = all;
    }

    public boolean isFull() {
      long others = all.used.get() - mine;
      return mine >= (all.max - others) / 2;
    }

    public void added(String key) {
      changed(bytesOf(key));
    }

    public void removed(String key) {
      changed(-bytesOf(key));
    }

    /** The value of a row grew or shrank. */
    public void changed(long bytes) {
      mine += bytes;
      all.used.addAndGet(bytes);
    }

    public long used() {
      return mine;
    }

    /** What a row takes without its value. */
    public static long bytesOf(String key) {
      return ROW_BYTES + 2L * key.length();
    }
  }

  public DomainShare ofDomain() {
    return new DomainShare(this);
  }

  public long used() {
    return used.get();
  }

  public long max() {
    return max;
  }
}
