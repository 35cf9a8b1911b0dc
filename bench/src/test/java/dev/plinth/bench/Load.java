package dev.plinth.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** So many callers, each with one operation under way at a time, for a while. */
final class Load {
  /** What came of it. */
  record Result(long operations, double seconds, Histogram micros) {
    double perSecond() {
      return operations / seconds;
    }
  }

  private static final long MOST_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final int callers;
  private final IntFunction<CompletableFuture<?>> operation;
  private final AtomicLong done = new AtomicLong();
  private final Recorder latencies = new Recorder(MOST_MICROS, 3);
  private volatile boolean over;
  private volatile Throwable failure;

  /** The operation gets its caller's number. */
  Load(int callers, IntFunction<CompletableFuture<?>> operation) {
    this.callers = callers;
    this.operation = operation;
  }

  /** Warms up, then measures. A failed operation fails the run. */
  Result run(double warmUpSeconds, double seconds) throws Exception {
    CountDownLatch ended = new CountDownLatch(callers);
    for (int i = 0; i < callers; i++) {
      next(i, ended);
    }
    Thread.sleep((long) (warmUpSeconds * 1000));
    latencies.reset();
    long from = System.nanoTime();
    long before = done.get();
    Thread.sleep((long) (seconds * 1000));
    long operations = done.get() - before;
    double took = (System.nanoTime() - from) / 1e9;
    Histogram micros = latencies.getIntervalHistogram();
    over = true;
    if (!ended.await(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("callers did not end");
    }
    if (failure != null) {
      throw new IllegalStateException("an operation failed", failure);
    }
    return new Result(operations, took, micros);
  }

  private void next(int caller, CountDownLatch ended) {
    if (over || failure != null) {
      ended.countDown();
      return;
    }
    long start = System.nanoTime();
    operation
        .apply(caller)
        .whenComplete(
            (answer, thrown) -> {
              if (thrown != null) {
                failure = thrown;
              }
              latencies.recordValue(Math.min(MOST_MICROS, (System.nanoTime() - start) / 1000));
              done.incrementAndGet();
              next(caller, ended);
            });
  }
}
