package dev.plinth.simulation.kernel;

import java.time.Duration;
import java.time.Instant;

/**
 * The clocks of one computer, which run on when its processes die: a monotonic one and the time of
 * day. Both may drift; the time of day may jump; the monotonic one stands while the computer
 * sleeps.
 */
public final class NodeClock {
  private static final long START_SECONDS = Instant.parse("2030-01-01T00:00:00Z").getEpochSecond();
  private static final long MILLION = 1_000_000;
  private static final long SECOND = 1_000_000_000;

  private final Simulation simulation;
  private long anchor;
  private long monotonic;
  private long wall; // nanoseconds since the start
  private long driftPpm;
  private boolean suspended;

  NodeClock(Simulation simulation, long monotonic) {
    this.simulation = simulation;
    this.monotonic = monotonic;
    this.anchor = simulation.now();
    this.wall = anchor;
  }

  public long nanos() {
    return suspended ? monotonic : monotonic + elapsed();
  }

  public Instant instant() {
    return Instant.ofEpochSecond(START_SECONDS, wall + elapsed());
  }

  private long elapsed() {
    long elapsed = simulation.now() - anchor;
    return elapsed + elapsed / MILLION * driftPpm + elapsed % MILLION * driftPpm / MILLION;
  }

  /** How long the monotonic clock takes for so much, if nothing changes meanwhile. */
  long toVirtual(long nanos) {
    return Math.max(0, nanos - nanos / MILLION * driftPpm);
  }

  private void settle() {
    long elapsed = elapsed();
    monotonic += suspended ? 0 : elapsed;
    wall += elapsed;
    anchor = simulation.now();
  }

  public void step(Duration by) {
    wall += by.toSeconds() * SECOND + by.getNano();
  }

  /** Millionths by which both clocks are too fast. */
  public void drift(long ppm) {
    settle();
    driftPpm = ppm;
  }

  void suspend() {
    settle();
    suspended = true;
  }

  void resume() {
    settle();
    suspended = false;
  }
}
