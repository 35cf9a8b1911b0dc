package dev.plinth.bench;

import java.io.Serializable;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** So many callers, each with one operation under way at a time, for a while. */
public final class Load {
  /** What one caller does again and again, on a thread of its own. */
  public interface Operation {
    /** How much it got done; 0 ends the whole load, as there is nothing left to do. */
    long run() throws Exception;
  }

  /** How long to run before it counts, and while it counts. */
  public record Times(double warmUp, double seconds) implements Serializable {}

  private static final double WARM_UP_ROUND = 2;
  private static final double IDLE_COMPILER = 0.05;

  /** At most so long; {@code -PwarmUp} makes it shorter. */
  private static final long MAX_WARM_UP_NANOS =
      TimeUnit.SECONDS.toNanos(Long.getLong("plinth.bench.warmUp", 90));

  /** Callers are told apart by as much as a cache line, so that counting costs them nothing. */
  private static final int APART = 16;

  private final SingleWriterRecorder[] nanos;
  private final AtomicLongArray done; // of each caller: what it got done, in how many operations
  private final CountDownLatch ended;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean over;

  private Load(int callers) {
    nanos = new SingleWriterRecorder[callers];
    Arrays.setAll(nanos, i -> new SingleWriterRecorder(Measured.MAX_NANOS, Measured.DIGITS));
    done = new AtomicLongArray(callers * APART);
    ended = new CountDownLatch(callers);
  }

  /** Callers without threads: each begins its next call when the last one is answered. */
  public static Measured ofCalls(
      int callers, Times times, IntFunction<CompletableFuture<?>> operation) throws Exception {
    Load load = new Load(callers);
    for (int i = 0; i < callers; i++) {
      load.call(i, operation);
    }
    return load.measure(times);
  }

  /**
   * Runs each operation in turn until the JVM has next to nothing left to compile, or for a minute
   * and a half at most: on few cores the compiler takes as much as it measures.
   */
  public static void warmUp(int callers, List<IntFunction<CompletableFuture<?>>> operations)
      throws Exception {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    long start = System.nanoTime();
    long compiled;
    double took;
    do {
      long before = compiler.getTotalCompilationTime();
      long from = System.nanoTime();
      for (IntFunction<CompletableFuture<?>> operation : operations) {
        ofCalls(callers, new Times(WARM_UP_ROUND, 0), operation);
      }
      compiled = compiler.getTotalCompilationTime() - before;
      took = (System.nanoTime() - from) / 1e6;
    } while (!Pace.QUICK
        && compiled > took * IDLE_COMPILER
        && System.nanoTime() - start < MAX_WARM_UP_NANOS);
    System.out.printf(
        "warm after %d s, compiling for %.0f %% of the last %.0f s%n",
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
        100 * compiled / took,
        took / 1e3);
  }

  /** A thread for each caller; all begin at once. */
  public static Measured ofThreads(int callers, Times times, IntFunction<Operation> operations)
      throws Exception {
    Load load = new Load(callers);
    CountDownLatch ready = new CountDownLatch(callers);
    CountDownLatch go = new CountDownLatch(1);
    for (int i = 0; i < callers; i++) {
      int caller = i;
      Operation operation = operations.apply(caller);
      Thread thread =
          new Thread(
              () -> {
                ready.countDown();
                load.repeat(caller, go, operation);
              },
              "caller-" + caller);
      thread.setDaemon(true);
      thread.start();
    }
    ready.await();
    go.countDown();
    return load.measure(times);
  }

  private void call(int caller, IntFunction<CompletableFuture<?>> operation) {
    if (over) {
      ended.countDown();
      return;
    }
    long start = System.nanoTime();
    operation
        .apply(caller)
        .whenComplete(
            (answer, thrown) -> {
              if (thrown != null) {
                fail(thrown);
              }
              count(caller, start, 1);
              call(caller, operation);
            });
  }

  private void repeat(int caller, CountDownLatch go, Operation operation) {
    try {
      go.await();
      while (!over) {
        long start = System.nanoTime();
        long got = operation.run();
        if (got == 0) {
          over = true;
        } else {
          count(caller, start, got);
        }
      }
    } catch (Throwable e) {
      fail(e);
    } finally {
      ended.countDown();
    }
  }

  private void count(int caller, long start, long got) {
    nanos[caller].recordValue(Math.min(Measured.MAX_NANOS, System.nanoTime() - start));
    int own = caller * APART;
    done.lazySet(own, done.get(own) + got);
    done.lazySet(own + 1, done.get(own + 1) + 1);
  }

  private void fail(Throwable thrown) {
    failure.compareAndSet(null, thrown);
    over = true;
  }

  /** A failed operation fails the run. */
  private Measured measure(Times times) throws Exception {
    pause(times.warmUp);
    for (SingleWriterRecorder recorder : nanos) {
      recorder.reset();
    }
    long from = System.nanoTime();
    long doneBefore = sum(0);
    long operationsBefore = sum(1);
    pause(times.seconds);
    long counted = sum(0) - doneBefore;
    long operations = sum(1) - operationsBefore;
    double took = (System.nanoTime() - from) / 1e9;
    Histogram all = Measured.empty();
    for (SingleWriterRecorder recorder : nanos) {
      all.add(recorder.getIntervalHistogram());
    }
    over = true;
    if (!ended.await(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("callers did not end");
    }
    if (failure.get() != null) {
      throw new IllegalStateException("an operation failed", failure.get());
    }
    return new Measured(counted, operations, took, all, sum(0));
  }

  /** Shorter if the callers end by themselves. */
  private void pause(double seconds) throws InterruptedException {
    ended.await((long) (seconds * 1e9), TimeUnit.NANOSECONDS);
  }

  private long sum(int which) {
    long sum = 0;
    for (int i = which; i < done.length(); i += APART) {
      sum += done.get(i);
    }
    return sum;
  }
}
