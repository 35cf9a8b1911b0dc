package dev.plinth.simulation.kernel;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * One life of a process: what events belong to. Killed, all that it had under way is dropped;
 * paused, it is held back.
 */
public final class SimulatedProcess {
  private static final long MESSAGE_NANOS = 20_000;
  // Threads of a process that goes on after a pause do not all run at once.
  private static final long UNEVEN_NANOS = 20_000_000;

  private final Simulation simulation;
  private final String name;
  private final NodeClock clock;
  private final List<ScheduledEvent> held = new ArrayList<>();
  private final Set<SimulatedThread> threads = new LinkedHashSet<>();
  private final List<Stallable> stallables = new ArrayList<>();
  private final SplittableRandom unevenness;
  private final SerialQueue arrivals;
  private boolean alive = true;
  private boolean paused;
  private boolean suspended;
  private long slowness = 1;

  SimulatedProcess(Simulation simulation, String name, NodeClock clock) {
    this.simulation = simulation;
    this.name = name;
    this.clock = clock;
    this.unevenness = simulation.random("unevenness of " + name);
    this.arrivals = new SerialQueue(this, "arrivals", MESSAGE_NANOS);
  }

  public String name() {
    return name;
  }

  public NodeClock clock() {
    return clock;
  }

  public boolean isAlive() {
    return alive;
  }

  public boolean isPaused() {
    return paused || suspended;
  }

  public Simulation simulation() {
    return simulation;
  }

  /** Runs after so much virtual time; not if the process is dead by then. */
  public ScheduledEvent after(long nanos, Runnable task) {
    return simulation.at(this, simulation.now() + Math.max(0, nanos), task);
  }

  /** Where messages from the network arrive, one after the other. */
  public void arrived(Runnable message) {
    arrivals.add(message);
  }

  /** What work costs here now. */
  long cost(long nanos) {
    return nanos * slowness;
  }

  /** How many times slower than usual all work is. */
  public void slowDown(long times) {
    slowness = times;
  }

  /** SIGKILL. */
  public void kill() {
    alive = false;
    held.clear();
    for (SimulatedThread thread : List.copyOf(threads)) {
      thread.kill();
    }
  }

  /** SIGSTOP: the clocks go on. */
  public void pause() {
    paused = true;
  }

  /** SIGCONT. */
  public void resume() {
    paused = false;
    release();
  }

  /** The computer sleeps: its monotonic clock stands, the time of day goes on. */
  public void suspend() {
    suspended = true;
    clock.suspend();
  }

  public void wakeUp() {
    suspended = false;
    clock.resume();
    release();
  }

  private void release() {
    if (!isPaused()) {
      if (!held.isEmpty()) {
        resumeUnevenly();
      }
      held.forEach(event -> simulation.again(event));
      held.clear();
    }
  }

  /** Half of its threads run on at once, the others each a little later. */
  private void resumeUnevenly() {
    for (Stallable each : stallables) {
      if (unevenness.nextBoolean()) {
        each.stallUntil(simulation.now() + unevenness.nextLong(UNEVEN_NANOS));
      }
    }
  }

  /** Those of its threads whose names say so get no processor for so long. */
  public void stallThreads(Predicate<String> which, long nanos) {
    stallables.stream()
        .filter(each -> which.test(each.name()))
        .forEach(each -> each.stallUntil(simulation.now() + nanos));
  }

  void add(Stallable thread) {
    stallables.add(thread);
  }

  void hold(ScheduledEvent event) {
    held.add(event);
  }

  void add(SimulatedThread thread) {
    threads.add(thread);
  }

  void remove(SimulatedThread thread) {
    threads.remove(thread);
  }

  @Override
  public String toString() {
    return name;
  }
}
