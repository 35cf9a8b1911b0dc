package dev.plinth.simulation.kernel;

import dev.plinth.machine.Loop;
import dev.plinth.machine.Machine;
import dev.plinth.machine.TimeSource;
import io.grpc.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** The machine of one simulated process. */
public final class SimulatedMachine implements Machine {
  private static final long LOOK_NANOS = 1_000_000;

  private final SimulatedProcess process;
  private final RandomGenerator random;
  private final RandomGenerator secureRandom;
  private final TimeSource time = new ProcessTime();
  private final Deadline.Ticker ticker = new ProcessTicker();

  /**
   * @param name tells its random numbers from those of others, and of its former lives
   */
  public SimulatedMachine(SimulatedProcess process, String name) {
    this.process = process;
    this.random = process.simulation().random(name + " random");
    this.secureRandom = process.simulation().random(name + " secure random");
  }

  private final class ProcessTime implements TimeSource {
    @Override
    public LongSupplier nanos() {
      return process.clock()::nanos;
    }

    @Override
    public void onAdvance(Runnable listener) {}

    @Override
    public Instant instant() {
      return process.clock().instant();
    }
  }

  private final class ProcessTicker extends Deadline.Ticker {
    @Override
    public long nanoTime() {
      return process.clock().nanos();
    }
  }

  public SimulatedProcess process() {
    return process;
  }

  @Override
  public TimeSource time() {
    return time;
  }

  @Override
  public InstantSource wall() {
    return time;
  }

  @Override
  public Deadline.Ticker ticker() {
    return ticker;
  }

  @Override
  public LongSupplier nanos() {
    return time.nanos();
  }

  @Override
  public ScheduledExecutorService scheduler(String name) {
    return new SimulatedScheduler(this, name);
  }

  @Override
  public ExecutorService workers(String name, int threads) {
    return new SimulatedWorkers(this, name, threads);
  }

  @Override
  public ExecutorService workers(String name) {
    return new SimulatedWorkers(this, name, Integer.MAX_VALUE);
  }

  @Override
  public Loop loop(String name, Loop.Body body) {
    return new SimulatedLoop(process, name, body);
  }

  @Override
  public <T> T await(CompletableFuture<T> result, Duration atMost)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!result.isDone()) {
      SimulatedThread thread = SimulatedThread.current();
      long wait = thread.nextWait();
      result.whenComplete((value, thrown) -> thread.wake(wait));
      wait(thread, wait, atMost.toNanos());
      if (!result.isDone()) {
        throw new TimeoutException();
      }
    }
    return result.get();
  }

  @Override
  public void pause(Duration pause) throws InterruptedException {
    SimulatedThread thread = SimulatedThread.current();
    wait(thread, thread.nextWait(), pause.toNanos());
  }

  private void wait(SimulatedThread thread, long wait, long nanos) throws InterruptedException {
    ScheduledEvent end =
        process.after(process.clock().toVirtual(Math.max(0, nanos)), () -> thread.wake(wait));
    try {
      thread.await(wait);
    } finally {
      end.cancel();
    }
  }

  /** Looks now and then whether something holds. */
  public boolean awaitUntil(BooleanSupplier holds, long nanos) throws InterruptedException {
    long end = process.clock().nanos() + nanos;
    while (!holds.getAsBoolean()) {
      long left = end - process.clock().nanos();
      if (left <= 0) {
        return false;
      }
      pause(Duration.ofNanos(Math.min(left, LOOK_NANOS)));
    }
    return true;
  }

  @Override
  public RandomGenerator secureRandom() {
    return secureRandom;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public long memoryShare(long most) {
    return most;
  }

  @Override
  public boolean isHeapFull() {
    return false;
  }

  @Override
  public boolean chance(String place) {
    boolean taken = process.simulation().chances().take(place);
    if (taken) {
      process.simulation().trace(process.name(), "chance " + place);
    }
    return taken;
  }
}
