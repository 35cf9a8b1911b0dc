package dev.plinth.testkit;

import dev.plinth.machine.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/**
 * Time that stands still until a test moves it: wall clock, monotonic clock and scheduler move
 * together, and the wall clock can be stepped alone, as an operator or NTP would. Tasks run on the
 * thread that moves the time, each at the moment it was due.
 */
public final class ManualClock implements TimeSource {
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final ManualScheduler scheduler = new ManualScheduler(this);
  private volatile long nanos;
  private volatile Instant wall;

  public ManualClock() {
    this(Instant.parse("2026-01-01T00:00:00Z"));
  }

  public ManualClock(Instant start) {
    wall = start;
  }

  @Override
  public Instant instant() {
    return wall;
  }

  @Override
  public LongSupplier nanos() {
    return () -> nanos;
  }

  public ScheduledExecutorService scheduler() {
    return scheduler;
  }

  /** Moves all clocks on, running what falls due on the way at its own time. */
  public void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("by: " + by + " (expected: not negative; see stepWall)");
    }
    long end = nanos + by.toNanos();
    scheduler.runUntil(end);
    moveTo(end);
    listeners.forEach(Runnable::run);
  }

  @Override
  public void onAdvance(Runnable listener) {
    listeners.add(listener);
  }

  /** Runs what is due now, without moving the time. */
  public void runDue() {
    scheduler.runUntil(nanos);
  }

  /** Steps the wall clock alone, forwards or backwards. */
  public void stepWall(Duration by) {
    wall = wall.plus(by);
  }

  void moveTo(long target) {
    if (target > nanos) {
      wall = wall.plusNanos(target - nanos);
      nanos = target;
    }
  }

  long now() {
    return nanos;
  }
}
