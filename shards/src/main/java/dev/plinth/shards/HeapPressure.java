package dev.plinth.shards;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Whether the heap is so full that nothing may be added to it. What all namespaces together keep in
 * memory has no other bound: each of them may stay within its quota, and there may be any number.
 *
 * <p>It goes by what was left of the largest pool, where all ends that stays, after it was last
 * collected: what is in use meanwhile may be garbage.
 */
final class HeapPressure implements BooleanSupplier {
  private static final double MAX = 0.85;
  private static final long LOOK_NANOS = 50_000_000;

  private final BooleanSupplier full;
  private final LongSupplier nanos;
  private volatile long lookedAt;
  private volatile boolean high;

  HeapPressure(BooleanSupplier full, LongSupplier nanos) {
    this.full = full;
    this.nanos = nanos;
    this.lookedAt = nanos.getAsLong() - LOOK_NANOS;
  }

  /** Of this process; never under a collector that does not tell. */
  static HeapPressure ofThisProcess() {
    Optional<MemoryPoolMXBean> pool =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(each -> each.getType() == MemoryType.HEAP)
            .filter(each -> each.getCollectionUsage() != null && each.getUsage().getMax() > 0)
            .max(Comparator.comparingLong(each -> each.getUsage().getMax()));
    return new HeapPressure(() -> pool.filter(HeapPressure::isFull).isPresent(), System::nanoTime);
  }

  private static boolean isFull(MemoryPoolMXBean pool) {
    MemoryUsage left = pool.getCollectionUsage();
    return left != null && left.getUsed() > left.getMax() * MAX;
  }

  /** Looked at now and then; in between it is what it was. */
  @Override
  public boolean getAsBoolean() {
    long now = nanos.getAsLong();
    if (now - lookedAt >= LOOK_NANOS) {
      lookedAt = now;
      high = full.getAsBoolean();
    }
    return high;
  }
}
