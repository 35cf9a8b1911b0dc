package dev.plinth.ratelimit.core;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy.Eviction;
import java.util.List;
import java.util.function.ToIntBiFunction;

/**
 * What a node remembers of the descriptors of its checks: which budgets they come to, and what it
 * knows of those budgets. One cache for all policies of a process, bounded in bytes; what is used
 * least is evicted. Whatever is evicted is found anew, so eviction costs time and shared requests,
 * and never changes a decision.
 *
 * <p>Sizes are estimates for a 64-bit JVM with compressed pointers, on the high side.
 */
public final class DescriptorCache {
  /** For tests and for those who need no bound of their own. */
  static final long DEFAULT_BYTES = 64L << 20;

  private static final int ENTRY_BYTES = 160; // Caffeine's node, its map's node, key and entry
  private static final int STRING_BYTES = 56;

  /** Keys of different owners are different. */
  private record Key(Object owner, Object key) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key that && owner == that.owner && key.equals(that.key);
    }

    @Override
    public int hashCode() {
      return 31 * System.identityHashCode(owner) + key.hashCode();
    }
  }

  private record Entry(Object value, int bytes) {}

  private final Cache<Key, Entry> cache;
  private final Eviction<Key, Entry> eviction;

  public DescriptorCache(long mostBytes) {
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(mostBytes)
            .weigher((Key key, Entry entry) -> entry.bytes)
            .executor(Runnable::run) // who adds too much makes room for it
            .recordStats()
            .build();
    this.eviction = cache.policy().eviction().orElseThrow();
  }

  /**
   * One kind of entries, of one compiled policy. The cache refers to the view's own key alone, so
   * that what is left of a policy that was dropped keeps nothing of it in memory.
   */
  final class View<K, V> {
    private final Object owner = new Object();
    private final ToIntBiFunction<K, V> bytes;

    private View(ToIntBiFunction<K, V> bytes) {
      this.bytes = bytes;
    }

    /** Null if it is not there. */
    @SuppressWarnings("unchecked") // keys with this owner have such values
    V get(K key) {
      Entry entry = cache.getIfPresent(new Key(owner, key));
      return entry == null ? null : (V) entry.value;
    }

    /** The value that is there from now on: another's, if it was first. */
    @SuppressWarnings("unchecked")
    V put(K key, V value) {
      Entry entry = new Entry(value, ENTRY_BYTES + bytes.applyAsInt(key, value));
      return (V) cache.get(new Key(owner, key), absent -> entry).value;
    }
  }

  /**
   * @param bytes of memory that an entry takes
   */
  <K, V> View<K, V> view(ToIntBiFunction<K, V> bytes) {
    return new View<>(bytes);
  }

  /** What it takes, by estimate. */
  public long bytes() {
    return eviction.weightedSize().orElse(0);
  }

  public long mostBytes() {
    return eviction.getMaximum();
  }

  public long entries() {
    return cache.estimatedSize();
  }

  public long evictions() {
    return cache.stats().evictionCount();
  }

  static int bytesOf(String text) {
    return STRING_BYTES + 2 * text.length();
  }

  static int bytesOf(List<Descriptor> descriptors) {
    int bytes = 48;
    for (Descriptor each : descriptors) {
      bytes += 24 + bytesOf(each.key()) + bytesOf(each.value());
    }
    return bytes;
  }
}
