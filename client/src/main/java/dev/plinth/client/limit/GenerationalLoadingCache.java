package dev.plinth.client.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Remembers what was asked for lately, in two generations: what nobody asked for during a whole one
 * is let go. A look at what was asked for in this generation takes no lock.
 */
final class GenerationalLoadingCache<K, V> {
  private final int most;
  private final Function<K, V> make;
  private final Consumer<V> letGo;
  private volatile Map<K, V> young = new ConcurrentHashMap<>();
  private Map<K, V> old = new ConcurrentHashMap<>();

  GenerationalLoadingCache(int most, Function<K, V> make, Consumer<V> letGo) {
    this.most = most;
    this.make = make;
    this.letGo = letGo;
  }

  V get(K key) {
    V value = young.get(key);
    return value != null ? value : fetch(key);
  }

  private synchronized V fetch(K key) {
    V value = young.get(key);
    if (value != null) {
      return value;
    }
    value = old.remove(key);
    if (value == null) {
      value = make.apply(key);
    }
    if (young.size() >= most / 2) {
      startGeneration();
    }
    young.put(key, value);
    return value;
  }

  /** The young become the old, and the old are let go. */
  synchronized void startGeneration() {
    Map<K, V> gone = old;
    old = young;
    young = new ConcurrentHashMap<>();
    gone.values().forEach(letGo);
  }

  synchronized int size() {
    return young.size() + old.size();
  }
}
