package dev.plinth.machine;

import io.grpc.Deadline;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** The real machine: clocks of the system, daemon threads, chance of the JDK. */
final class SystemMachine implements Machine {
  // Shards keep several things that are bounded so, and there are 16 of them by default.
  private static final long SHARES = 256;

  static final Machine INSTANCE = new SystemMachine();

  private final TimeSource time = TimeSource.system();
  private final RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
  private final RandomGenerator secureRandom = new SecureRandom();

  private SystemMachine() {}

  /** When first asked for: a client never does, in processes whose JVM may have no such beans. */
  private static final class Heap {
    static final HeapPressure PRESSURE = HeapPressure.ofThisProcess();
  }

  @Override
  public TimeSource time() {
    return time;
  }

  @Override
  public LongSupplier nanos() {
    return time.nanos();
  }

  @Override
  public InstantSource wall() {
    return time;
  }

  @Override
  public Deadline.Ticker ticker() {
    return Deadline.getSystemTicker();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public RandomGenerator secureRandom() {
    return secureRandom;
  }

  @Override
  public ScheduledExecutorService scheduler(String name) {
    ScheduledThreadPoolExecutor scheduler =
        new ScheduledThreadPoolExecutor(1, Threads.daemons(name));
    // Or the timer of every call that ended long ago stays in memory until it would have fired.
    scheduler.setRemoveOnCancelPolicy(true);
    return scheduler;
  }

  @Override
  public ExecutorService workers(String name, int threads) {
    return Executors.newFixedThreadPool(threads, Threads.daemons(name));
  }

  @Override
  public ExecutorService workers(String name) {
    return Executors.newCachedThreadPool(Threads.daemons(name));
  }

  @Override
  public Loop loop(String name, Loop.Body body) {
    return new SystemLoop(name, body);
  }

  @Override
  public <T> T await(CompletableFuture<T> result, Duration atMost)
      throws InterruptedException, ExecutionException, TimeoutException {
    return result.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public <T> T await(CompletableFuture<T> result) throws InterruptedException, ExecutionException {
    return result.get();
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }

  @Override
  public long memoryShare(long most) {
    return Math.min(most, Runtime.getRuntime().maxMemory() / SHARES);
  }

  @Override
  public boolean isHeapFull() {
    return Heap.PRESSURE.getAsBoolean();
  }

  @Override
  public boolean chance(String place) {
    return false;
  }
}
