package dev.plinth.bench.limits;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

/** What a process keeps for each key, made when it is first asked for. */
final class PerKey<T> {
  private final AtomicReferenceArray<T> made;
  private final IntFunction<T> maker;

  PerKey(int keys, IntFunction<T> maker) {
    made = new AtomicReferenceArray<>(keys);
    this.maker = maker;
  }

  /** The same for all threads. */
  T get(int key) {
    T there = made.get(key);
    if (there != null) {
      return there;
    }
    T mine = maker.apply(key);
    return made.compareAndSet(key, null, mine) ? mine : made.get(key);
  }
}
