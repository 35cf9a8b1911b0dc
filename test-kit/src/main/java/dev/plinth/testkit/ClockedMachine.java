package dev.plinth.testkit;

import dev.plinth.machine.Loop;
import dev.plinth.machine.Machine;
import dev.plinth.machine.TimeSource;
import io.grpc.Deadline;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** The machine of this process, with its real threads, but with clocks that a test gives. */
public record ClockedMachine(TimeSource time, LongSupplier nanos, InstantSource wall)
    implements Machine {
  private static final Machine REAL = Machine.system();

  /** All clocks are one, which the test moves. */
  public static Machine of(ManualClock clock) {
    return new ClockedMachine(clock, clock.nanos(), clock);
  }

  /** Only the time of day is given. */
  public static Machine ofWall(InstantSource wall) {
    return new ClockedMachine(REAL.time(), REAL.nanos(), wall);
  }

  @Override
  public Deadline.Ticker ticker() {
    return REAL.ticker();
  }

  @Override
  public RandomGenerator random() {
    return REAL.random();
  }

  @Override
  public RandomGenerator secureRandom() {
    return REAL.secureRandom();
  }

  @Override
  public ScheduledExecutorService scheduler(String name) {
    return REAL.scheduler(name);
  }

  @Override
  public ExecutorService workers(String name, int threads) {
    return REAL.workers(name, threads);
  }

  @Override
  public Loop loop(String name, Loop.Body body) {
    return REAL.loop(name, body);
  }

  @Override
  public <T> T await(CompletableFuture<T> result, Duration atMost)
      throws InterruptedException, ExecutionException, TimeoutException {
    return REAL.await(result, atMost);
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    REAL.pause(time);
  }

  @Override
  public long memoryShare(long most) {
    return REAL.memoryShare(most);
  }

  @Override
  public boolean isHeapFull() {
    return REAL.isHeapFull();
  }

  @Override
  public boolean chance(String place) {
    return REAL.chance(place);
  }
}
