package dev.plinth.ratelimit.pipeline;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy.Eviction;
import dev.plinth.ratelimit.policy.Descriptor;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntBiFunction;

/**
 * What a node remembers of the descriptors of its checks: which budgets they come to, and what it
 * knows of those budgets. One cache for all policies of a process, bounded in bytes; what is used
 * least is evicted. Whatever is evicted is matched again, so eviction costs time and shared
 * requests, and never changes a decision.
 *
 * <p>Sizes are estimates for a 64-bit JVM with compressed pointers, on the high side.
 */
public final class DescriptorCache {
  /** For tests and for those who need no bound of their own. */
  static final long DEFAULT_BYTES = 64L << 20;

  private static final Comparator<Descriptor> BY_VALUE =
      Comparator.comparing(Descriptor::value).thenComparing(Descriptor::key);

  /** For descriptors as keys. */
  static final Comparator<List<Descriptor>> BY_VALUES =
      (one, other) -> compare(one, other, BY_VALUE);

  private static final int ENTRY_BYTES = 160; // Caffeine's node, its map's node, key and entry
  private static final int STRING_BYTES = 56;

  /** What keys of one view have in common. */
  private record Owner(long id, Comparator<Object> order) {
    private static final AtomicLong LAST = new AtomicLong();

    @SuppressWarnings("unchecked") // keys with this owner are such keys
    static <K> Owner of(Comparator<? super K> order) {
      return new Owner(LAST.incrementAndGet(), (one, other) -> order.compare((K) one, (K) other));
    }
  }

  /**
   * Keys of different owners are different. Descriptors are the callers', and texts with equal
   * hashes are easily made: keys have an order, so that the map keeps those with one hash in a tree
   * and does not compare with all of them.
   */
  private static final class Key implements Comparable<Key> {
    private final Owner owner;
    private final Object key;
    private final int hash;

    Key(Owner owner, Object key) {
      this.owner = owner;
      this.key = key;
      this.hash = 31 * Long.hashCode(owner.id) + key.hashCode();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key that
          && hash == that.hash
          && owner == that.owner
          && key.equals(that.key);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public int compareTo(Key other) {
      return owner == other.owner
          ? owner.order.compare(key, other.key)
          : Long.compare(owner.id, other.owner.id);
    }
  }

  private record Entry(Object value, int bytes) {}

  private final Cache<Key, Entry> cache;
  private final Eviction<Key, Entry> eviction;

  public DescriptorCache(long maxBytes) {
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
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
    private final Owner owner;
    private final ToIntBiFunction<K, V> bytes;

    private View(Comparator<? super K> order, ToIntBiFunction<K, V> bytes) {
      this.owner = Owner.of(order);
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
   * @param order of keys, zero for equal ones alone; it outlives the view and refers to nothing
   * @param bytes of memory that an entry keeps in use, with all that it refers to: what it shares
   *     with others may be evicted there
   */
  <K, V> View<K, V> view(Comparator<? super K> order, ToIntBiFunction<K, V> bytes) {
    return new View<>(order, bytes);
  }

  /** For lists as keys. */
  static <E> int compare(List<E> one, List<E> other, Comparator<? super E> order) {
    int compared = Integer.compare(one.size(), other.size());
    for (int i = 0; compared == 0 && i < one.size(); i++) {
      compared = order.compare(one.get(i), other.get(i));
    }
    return compared;
  }

  /** What it takes, by estimate. */
  public long bytes() {
    return eviction.weightedSize().orElse(0);
  }

  public long maxBytes() {
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
