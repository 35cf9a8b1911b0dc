package dev.plinth.simulation.kernel;

import dev.plinth.machine.Loop;

/** A loop as an event that schedules itself again. */
final class SimulatedLoop implements Loop {
  private static final long PASS_NANOS = 5_000;

  private final SimulatedProcess process;
  private final Body body;
  private ScheduledEvent next;
  private boolean running;
  private boolean woken;
  private boolean closed;
  private boolean started;
  private long busyUntil;

  SimulatedLoop(SimulatedProcess process, Body body) {
    this.process = process;
    this.body = body;
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
    long idle = Math.max(0, busyUntil - process.simulation().now());
    next = process.after(Math.max(idle, delay), this::pass);
  }

  private void pass() {
    if (closed) {
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
  public void close() {
    closed = true;
    if (next != null) {
      next.cancel();
    }
  }
}
