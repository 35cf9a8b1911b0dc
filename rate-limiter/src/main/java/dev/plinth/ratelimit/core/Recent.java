package dev.plinth.ratelimit.core;

import java.util.concurrent.ConcurrentHashMap;

/**
 * What was used of late, bounded: when the young half is full it becomes the old one, and what is
 * not asked for until that happens again is forgotten. A look at a known key is one lookup without
 * a lock.
 */
final class Recent<K, V> {
  private final int half;
  private volatile ConcurrentHashMap<K, V> young = new ConcurrentHashMap<>();
  private volatile ConcurrentHashMap<K, V> old = new ConcurrentHashMap<>();

  Recent(int most) {
    this.half = Math.max(1, most / 2);
  }

  /** Null if it is not there. */
  V get(K key) {
    V value = young.get(key);
    if (value != null) {
      return value;
    }
    value = old.get(key);
    return value == null ? null : put(key, value);
  }

  /** The value that is there from now on: another's, if it was first. */
  V put(K key, V value) {
    ConcurrentHashMap<K, V> here = young;
    V first = here.putIfAbsent(key, value);
    if (first == null && here.mappingCount() > half) {
      turn(here);
    }
    return first == null ? value : first;
  }

  private synchronized void turn(ConcurrentHashMap<K, V> full) {
    if (young == full) {
      old = full;
      young = new ConcurrentHashMap<>();
    }
  }

  int size() {
    return young.size() + old.size();
  }
}
