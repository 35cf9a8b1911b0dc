package dev.plinth.machine;

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
 * collected: what is in use meanwhile may be garbage. A process that refuses everything allocates
 * little, so nothing would make the JVM collect again and notice that there is room. While the heap
 * is full the JVM is therefore asked to collect now and then.
 */
final class HeapPressure implements BooleanSupplier {
  private static final double MAX = 0.85;
  private static final long LOOK_NANOS = 50_000_000;
  private static final long COLLECT_NANOS = 5_000_000_000L;

  private final BooleanSupplier full;
  private final HeapCollector collector;
  private final LongSupplier nanos;
  private volatile long lookedAt;
  private volatile boolean high;
  private long collectsAt;

  HeapPressure(BooleanSupplier full, HeapCollector collector, LongSupplier nanos) {
    this.full = full;
    this.collector = collector;
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
    return new HeapPressure(
        () -> pool.filter(HeapPressure::isFull).isPresent(),
        HeapCollector.ofThisProcess(),
        System::nanoTime);
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
      look(now);
    }
    return high;
  }

  private synchronized void look(long now) {
    lookedAt = now;
    boolean before = high;
    high = full.getAsBoolean();
    if (!high) {
      if (before) {
        collector.rest();
      }
    } else if (!before) {
      collectsAt = now + COLLECT_NANOS; // the one that found it full was just now
    } else if (now - collectsAt >= 0) {
      collectsAt = now + COLLECT_NANOS;
      collector.collect();
    }
  }
}
