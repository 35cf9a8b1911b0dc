package dev.plinth.simulation.kernel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Threads of a process for tasks that wait. */
final class SimulatedWorkers extends AbstractExecutorService {
  private static final long TASK_NANOS = 5_000;

  private final SimulatedMachine machine;
  private final String name;
  private final int most;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Set<SimulatedThread> running = new LinkedHashSet<>();
  private int starting;
  private boolean shutdown;

  SimulatedWorkers(SimulatedMachine machine, String name, int most) {
    this.machine = machine;
    this.name = name;
    this.most = most;
  }

  @Override
  public void execute(Runnable task) {
    if (shutdown) {
      throw new RejectedExecutionException("shut down");
    }
    tasks.add(task);
    startOne(0);
  }

  private void startOne(long delay) {
    if (running.size() + starting < most && starting < tasks.size()) {
      starting++;
      machine.process().after(delay, this::runOne);
    }
  }

  private void runOne() {
    starting--;
    Runnable task = tasks.poll();
    if (task == null) {
      return;
    }
    SimulatedThread thread = new SimulatedThread(machine.process(), name);
    running.add(thread);
    thread.run(
        () -> {
          try {
            task.run();
          } finally {
            running.remove(thread);
            startOne(machine.process().cost(TASK_NANOS));
          }
        });
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> left = new ArrayList<>(tasks);
    tasks.clear();
    List.copyOf(running).forEach(SimulatedThread::interrupt);
    return left;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && tasks.isEmpty() && running.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return machine.awaitUntil(this::isTerminated, unit.toNanos(timeout));
  }
}
