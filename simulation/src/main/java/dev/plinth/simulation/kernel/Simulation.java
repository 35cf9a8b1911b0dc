package dev.plinth.simulation.kernel;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Processes on virtual time, all of whose events run in the thread that calls {@link #runUntil}.
 * The seed alone decides what happens.
 */
public final class Simulation implements AutoCloseable {
  private static final long MOST_EVENTS = 50_000_000;
  private static final long DAY_NANOS = 86_400_000_000_000L;
  private static final long MOST_AT_ONE_MOMENT = 1_000_000;

  private final RunParts parts;
  private final Seeds seeds;
  private final Trace trace = new Trace();
  private final EventQueue queue;
  private final Chances chances;
  private final SimulatedProcess world;
  private final List<SimulatedProcess> processes = new ArrayList<>();
  private final List<String> uncaught = new ArrayList<>();
  private long now;
  private long events;
  private long eventsOfMoment;

  public Simulation(long seed) {
    this(seed, RunParts.all());
  }

  /**
   * @param parts what there is of the run
   */
  public Simulation(long seed, RunParts parts) {
    this.parts = parts;
    seeds = new Seeds(seed, parts.noise());
    queue = new EventQueue(seeds.random("ties"));
    chances = new Chances(seeds);
    world = process("world", clock("world"));
  }

  public long now() {
    return now;
  }

  public RunParts parts() {
    return parts;
  }

  public Seeds seeds() {
    return seeds;
  }

  public SplittableRandom random(String purpose) {
    return seeds.random(purpose);
  }

  public Chances chances() {
    return chances;
  }

  public Trace trace() {
    return trace;
  }

  public void trace(String who, String what) {
    trace.line(now, who, what);
  }

  public void note(String who, String what) {
    trace.note(now, who, what);
  }

  /** What belongs to no process: never paused, never killed. */
  public SimulatedProcess world() {
    return world;
  }

  /** The clocks of a computer. */
  public NodeClock clock(String name) {
    return new NodeClock(this, random("clock " + name).nextLong(DAY_NANOS));
  }

  public SimulatedProcess process(String name, NodeClock clock) {
    SimulatedProcess process = new SimulatedProcess(this, name, clock);
    processes.add(process);
    return process;
  }

  ScheduledEvent at(SimulatedProcess owner, long time, Runnable task) {
    return queue.add(owner, Math.max(time, now), task);
  }

  /** One that was held back, now. */
  void again(ScheduledEvent event) {
    if (!event.isCancelled()) {
      // The event itself stands for its cancellation, so it is asked again when it runs.
      queue.addFirst(
          event.owner,
          now,
          () -> {
            if (!event.isCancelled()) {
              event.task.run();
            }
          });
    }
  }

  /** Runs what happens until then. */
  public void runUntil(long time) {
    runUntil(time, () -> false);
  }

  /** Runs what happens until a condition holds, at most until then; says whether it holds. */
  public boolean runUntil(long time, BooleanSupplier over) {
    while (!over.getAsBoolean()) {
      Optional<ScheduledEvent> next = queue.poll(time);
      if (next.isEmpty()) {
        now = Math.max(now, time);
        return over.getAsBoolean();
      }
      run(next.get());
    }
    return true;
  }

  private void run(ScheduledEvent event) {
    count(event);
    now = event.time();
    if (!event.owner.isAlive()) {
      return;
    }
    if (event.owner.isPaused()) {
      event.owner.hold(event);
      return;
    }
    try {
      event.task.run();
    } catch (Throwable thrown) {
      uncaught(event.owner, thrown);
    }
  }

  private void count(ScheduledEvent event) {
    events++;
    eventsOfMoment = event.time() == now ? eventsOfMoment + 1 : 0;
    if (events > MOST_EVENTS || eventsOfMoment > MOST_AT_ONE_MOMENT) {
      throw new IllegalStateException(
          "endless: %d events, %d at this moment, of %s"
              .formatted(events, eventsOfMoment, event.owner));
    }
  }

  public long events() {
    return events;
  }

  /** Starts a thread of a process that may block; done when it has ended. */
  public CompletableFuture<Void> thread(SimulatedProcess process, String name, Runnable body) {
    return task(process, name, body).done();
  }

  /** Starts a thread of a process that may block. */
  public BlockingTask task(SimulatedProcess process, String name, Runnable body) {
    BlockingTask task = new BlockingTask(process, name);
    task.start(body);
    return task;
  }

  /** An exception that reached the end of a thread: nothing of ours should do that. */
  void uncaught(SimulatedProcess process, Throwable thrown) {
    if (thrown instanceof ProcessKilledError || !process.isAlive()) {
      return;
    }
    if (process == world) {
      throw new IllegalStateException("the simulation itself failed", thrown);
    }
    StringWriter stack = new StringWriter();
    thrown.printStackTrace(new PrintWriter(stack));
    uncaught.add(process + ": " + stack);
    trace(process.name(), "UNCAUGHT " + thrown.getClass().getName());
    note(process.name(), stack.toString());
  }

  public List<String> uncaught() {
    return List.copyOf(uncaught);
  }

  /** Ends all threads. */
  @Override
  public void close() {
    processes.forEach(SimulatedProcess::kill);
  }
}
