package dev.plinth.simulation.kernel;

import dev.plinth.machine.Loop;

/** A loop as an event that schedules itself again. */
final class SimulatedLoop implements Loop, Stallable {
  private static final long PASS_NANOS = 5_000;

  private final SimulatedProcess process;
  private final String name;
  private final Body body;
  private ScheduledEvent next;
  private boolean running;
  private boolean woken;
  private boolean closed;
  private boolean started;
  private long busyUntil;
  private long stalledUntil;

  SimulatedLoop(SimulatedProcess process, String name, Body body) {
    this.process = process;
    this.name = name;
    this.body = body;
    process.add(this);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void start() {
    started = true;
    schedule(0);
  }

  @Override
  public void wake() {
    if (running || !started) {
      woken = true;
    } else if (!closed && !woken) {
      woken = true;
      schedule(0);
    }
  }

  private void schedule(long delay) {
    if (next != null) {
      next.cancel();
    }
    long free = Math.max(busyUntil, stalledUntil);
    long idle = Math.max(0, free - process.simulation().now());
    next = process.after(Math.max(idle, delay), this::pass);
  }

  private void pass() {
    if (closed) {
      return;
    }
    if (process.simulation().now() < stalledUntil) {
      schedule(0);
      return;
    }
    woken = false;
    running = true;
    long sleep = 0;
    try {
      sleep = body.run();
    } catch (Throwable thrown) {
      process.simulation().uncaught(process, thrown);
    } finally {
      running = false;
    }
    busyUntil = process.simulation().now() + process.cost(PASS_NANOS);
    if (closed) {
      return;
    }
    if (woken || sleep <= 0) {
      schedule(0);
    } else if (sleep == UNTIL_WOKEN) {
      next = null;
    } else {
      schedule(process.clock().toVirtual(sleep));
    }
  }

  @Override
  public void stallUntil(long time) {
    stalledUntil = time;
  }

  @Override
  public void close() {
    closed = true;
    if (next != null) {
      next.cancel();
    }
  }
}
