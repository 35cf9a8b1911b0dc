package dev.plinth.client.id;

import dev.plinth.id.v1.Range;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/**
 * A range in use. What it is never changes; how far it is used is one counter, and the range after
 * it hangs here, so that nobody can find this one with another's successor.
 *
 * <p>Ended, early or not, the counter stands above everything: whoever comes later gets nothing,
 * and what was used until then is final. So the hot path needs no look at a flag.
 */
final class LeasedRange {
  private static final long ENDED = 1L << 62;
  private static final long MAX_BLOCK = 1024;

  private final Range range;
  private final long first;
  private final long count;
  private final int step;
  private final long deadline;
  private final long mask;
  private final AtomicLong cursor = new AtomicLong();
  private final AtomicReference<RangeFetch> next = new AtomicReference<>();
  private long usedAtEnd = -1;

  LeasedRange(Range range, long deadline) {
    this.range = range;
    this.first = range.getFirst();
    this.count = range.getCount();
    this.step = range.getStep();
    this.deadline = deadline;
    // A power of two less one, so small that the halfway mark is not missed by much.
    this.mask = Long.highestOneBit(Math.max(1, Math.min(MAX_BLOCK, count / 8))) - 1;
  }

  String leaseId() {
    return range.getLeaseId();
  }

  long count() {
    return count;
  }

  long deadline() {
    return deadline;
  }

  /** Places from the one returned on; those at or beyond {@link #count} are none. */
  long take(int places) {
    return cursor.getAndAdd(places);
  }

  /** Whether a place is good without a look at the clock and at the stock. */
  boolean isPlain(long place) {
    return place < count && (place & mask) != 0;
  }

  boolean isPastHalf(long place) {
    return place >= count / 2;
  }

  long id(long place) {
    return first + place * step;
  }

  /** No place is given after this; false if that was so before. */
  synchronized boolean end() {
    boolean ending = usedAtEnd < 0;
    if (ending) {
      usedAtEnd = Math.min(cursor.getAndSet(ENDED), count);
    }
    return ending;
  }

  /** How many were given; final once it has ended. */
  synchronized long used() {
    return usedAtEnd >= 0 ? usedAtEnd : Math.min(cursor.get(), count);
  }

  /** How many can be had now. */
  synchronized long ready(long now) {
    return usedAtEnd >= 0 || now - deadline >= 0 ? 0 : count - used();
  }

  /** How many were not given, and are not going to be once it has ended. */
  long left() {
    return count - used();
  }

  /** The range after this one, on its way or here; null if it was not asked for. */
  RangeFetch next() {
    return next.get();
  }

  /**
   * Has the next range fetched, unless that was done before and is not over. Of many callers one
   * asks the server.
   */
  RangeFetch fetchNext(Predicate<RangeFetch> isOver, LongFunction<RangeFetch> fetches) {
    RangeFetch known = next.get();
    if (known == null || isOver.test(known) && !known.isStopped()) {
      RangeFetch fresh = fetches.apply(range.getSuggestedNext());
      if (next.compareAndSet(known, fresh)) {
        fresh.start();
      }
    }
    return next.get();
  }

  /** Has none fetched any more, and gives the one that is here or in flight, which is stopped. */
  RangeFetch stopNext(RangeFetch none) {
    none.stop();
    RangeFetch known = next.get();
    while ((known == null || known.isRefused()) && !next.compareAndSet(known, none)) {
      known = next.get();
    }
    next.get().stop();
    return next.get();
  }
}
