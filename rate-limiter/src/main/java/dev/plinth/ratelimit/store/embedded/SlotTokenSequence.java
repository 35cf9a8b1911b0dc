package dev.plinth.ratelimit.store.embedded;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers that rise for ever. Those up to {@code end} are set aside on the disk, and after a crash
 * counting continues behind them: no clock and no lost checkpoint can make a token fall. One
 * sequence serves all domains.
 */
final class SlotTokenSequence {
  static final long BLOCK = 1_000_000;

  private final AtomicLong last = new AtomicLong();
  private volatile long end;

  /** Behind those that were set aside; none is given before {@link #setAside} was called. */
  void begin(long after) {
    last.set(after);
    end = after;
  }

  long next() {
    while (true) {
      long before = last.get();
      if (before >= end) {
        throw StoreUnavailable.outcomeUnknown(
            EmbeddedBudgetStore.ENGINE, "no slot tokens are set aside: the disk is behind", null);
      }
      if (last.compareAndSet(before, before + 1)) {
        return before + 1;
      }
    }
  }

  /** Up to where tokens should be set aside now: a new block when half of the last is used. */
  long wanted() {
    long used = last.get();
    return end - used < BLOCK / 2 ? used + BLOCK : end;
  }

  /** That is on the disk now. */
  void setAside(long to) {
    end = to;
  }

  /** Up to where they are set aside. */
  long end() {
    return end;
  }

  long last() {
    return last.get();
  }
}
