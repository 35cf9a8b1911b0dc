package dev.plinth.bench.registry;

import dev.plinth.bench.Millis;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** When each watcher saw one change. */
final class Arrivals {
  private final long started = System.nanoTime();
  private final AtomicLongArray nanos;
  private final CountDownLatch missing;

  Arrivals(int watchers) {
    nanos = new AtomicLongArray(watchers);
    missing = new CountDownLatch(watchers);
  }

  void seen(int watcher) {
    if (nanos.compareAndSet(watcher, 0, System.nanoTime() - started)) {
      missing.countDown();
    }
  }

  void await() throws InterruptedException {
    if (!missing.await(2, TimeUnit.MINUTES)) {
      throw new IllegalStateException(missing.getCount() + " watchers did not see it");
    }
  }

  /** Until the last watcher saw it. */
  double lastMillis() {
    long last = 0;
    for (int i = 0; i < nanos.length(); i++) {
      last = Math.max(last, nanos.get(i));
    }
    return last / 1e6;
  }

  void addTo(Millis each) {
    for (int i = 0; i < nanos.length(); i++) {
      each.add(nanos.get(i) / 1e6);
    }
  }
}
