package dev.plinth.machine;

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

/**
 * What a process takes from the machine it runs on: time, threads, waiting and chance. No other
 * code of a server or a client reads a clock, starts a thread, blocks one or draws a random number,
 * so a simulation can give a machine of its own and run a whole cluster in one thread, on virtual
 * time, from a seed.
 *
 * <p>Only code that runs on {@link #workers}, or on a thread of the application, may call {@link
 * #await} and {@link #pause}. Tasks of schedulers and loops never block.
 */
public interface Machine {
  /**
   * The time that the services' promises go by: expiry, retention, budgets, times in answers. A
   * test may move it by hand. Everything else goes by {@link #nanos} and {@link #wall}.
   */
  TimeSource time();

  /** The monotonic clock in nanoseconds. Only differences of its values have a meaning. */
  LongSupplier nanos();

  /** The time of day. It may jump, so it is never used to measure how long something takes. */
  InstantSource wall();

  /** The monotonic clock for deadlines of gRPC. */
  Deadline.Ticker ticker();

  /** For jitter, order and ids that need not be secret. Safe for use by several threads. */
  RandomGenerator random();

  /** For what nobody may guess. Safe for use by several threads. */
  RandomGenerator secureRandom();

  /** One thread that runs tasks in order, now or later. */
  ScheduledExecutorService scheduler(String name);

  /** Threads for tasks that wait for something. */
  ExecutorService workers(String name, int threads);

  /**
   * Threads for tasks that wait for something, as many as there are tasks. One that has had nothing
   * to do for a minute ends.
   */
  ExecutorService workers(String name);

  /** Runs a body over and over; see {@link Loop}. Begins with {@link Loop#start}. */
  Loop loop(String name, Loop.Body body);

  /** Waits for a result, at most for so long. */
  <T> T await(CompletableFuture<T> result, Duration atMost)
      throws InterruptedException, ExecutionException, TimeoutException;

  /** Waits for a result that surely comes, however long that takes. */
  default <T> T await(CompletableFuture<T> result) throws InterruptedException, ExecutionException {
    while (true) {
      try {
        return await(result, Duration.ofDays(1));
      } catch (TimeoutException e) {
        // Another day.
      }
    }
  }

  /** Does nothing for so long. */
  void pause(Duration time) throws InterruptedException;

  /**
   * What one of many parts may keep in memory: so many bytes, but no more than a small share of the
   * heap.
   */
  long memoryShare(long most);

  /** Whether the heap is so full that nothing may be added to it. Cheap enough for every call. */
  boolean isHeapFull();

  /**
   * Whether a rare branch is taken here although nothing asks for it. Never in production; a
   * simulation decides by its seed.
   *
   * @param place names the branch
   */
  boolean chance(String place);

  /** The machine that this process runs on. */
  static Machine system() {
    return SystemMachine.INSTANCE;
  }

  /** This machine, with another time for the services' promises. */
  default Machine withTime(TimeSource time) {
    return new TimedMachine(this, time);
  }
}
