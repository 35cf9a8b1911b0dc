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

/** Passes everything on to another machine, for one that differs from it in a few things. */
public abstract class ForwardingMachine implements Machine {
  private final Machine machine;

  protected ForwardingMachine(Machine machine) {
    this.machine = machine;
  }

  @Override
  public TimeSource time() {
    return machine.time();
  }

  @Override
  public LongSupplier nanos() {
    return machine.nanos();
  }

  @Override
  public InstantSource wall() {
    return machine.wall();
  }

  @Override
  public Deadline.Ticker ticker() {
    return machine.ticker();
  }

  @Override
  public RandomGenerator random() {
    return machine.random();
  }

  @Override
  public RandomGenerator secureRandom() {
    return machine.secureRandom();
  }

  @Override
  public ScheduledExecutorService scheduler(String name) {
    return machine.scheduler(name);
  }

  @Override
  public ExecutorService workers(String name, int threads) {
    return machine.workers(name, threads);
  }

  @Override
  public ExecutorService workers(String name) {
    return machine.workers(name);
  }

  @Override
  public Loop loop(String name, Loop.Body body) {
    return machine.loop(name, body);
  }

  @Override
  public <T> T await(CompletableFuture<T> result, Duration atMost)
      throws InterruptedException, ExecutionException, TimeoutException {
    return machine.await(result, atMost);
  }

  @Override
  public <T> T await(CompletableFuture<T> result) throws InterruptedException, ExecutionException {
    return machine.await(result);
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    machine.pause(time);
  }

  @Override
  public long memoryShare(long most) {
    return machine.memoryShare(most);
  }

  @Override
  public boolean isHeapFull() {
    return machine.isHeapFull();
  }

  @Override
  public boolean chance(String place) {
    return machine.chance(place);
  }
}
