package dev.plinth.shards;

import java.util.function.LongSupplier;

/**
 * The monotonic time of one shard. It stands still while the shard is taken over, and runs from the
 * moment at which it answers: whatever was loaded with a deadline has its full time from then on,
 * however long the loading took.
 */
final class ShardClock implements LongSupplier {
  private final LongSupplier nanos;
  private final long start;
  private long behind;
  private boolean runs;

  ShardClock(LongSupplier nanos) {
    this.nanos = nanos;
    this.start = nanos.getAsLong();
  }

  void run() {
    behind = nanos.getAsLong() - start;
    runs = true;
  }

  @Override
  public long getAsLong() {
    return runs ? nanos.getAsLong() - behind : start;
  }

  /** A time of this shard, on the clock that it was made from. */
  long outside(long time) {
    return time + behind;
  }
}
