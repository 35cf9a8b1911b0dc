package dev.plinth.shards;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The time of one shard and the timers on it. They fire only while the shard may decide something:
 * without a store that takes writes an expiry would be lost, and the shard with it. They are late
 * then, never lost.
 */
final class ShardTimers {
  private final ShardClock clock;
  private final TimerWheel wheel;
  private final BooleanSupplier mayFire;
  private final TimerListener listener;
  private boolean newTimer;

  /** Runs the task of a timer that is due, and learns how late it is. */
  @FunctionalInterface
  interface TimerListener {
    void fire(Tx.TimerTask task, long lateNanos);
  }

  ShardTimers(LongSupplier nanos, BooleanSupplier mayFire, TimerListener listener) {
    this.clock = new ShardClock(nanos);
    this.wheel = new TimerWheel(clock.getAsLong());
    this.mayFire = mayFire;
    this.listener = listener;
  }

  /** The shard answers from now on, so all time counts from now on. */
  void start() {
    clock.run();
  }

  /** On the shard's own clock. */
  long now() {
    return clock.getAsLong();
  }

  Tx.Timer schedule(long dueNanos, Tx.TimerTask task) {
    newTimer = true;
    TimerWheel.Timer timer =
        wheel.schedule(dueNanos, () -> listener.fire(task, Math.max(0, now() - dueNanos)));
    return timer::cancel;
  }

  /** Fires those that are due. */
  void advance() {
    if (mayFire.getAsBoolean()) {
      wheel.advance(now());
    }
  }

  /** When the next may be due, on the clock of the loop; {@code Long.MAX_VALUE} if none may. */
  long next() {
    long next = mayFire.getAsBoolean() ? wheel.nextNanos() : Long.MAX_VALUE;
    return next == Long.MAX_VALUE ? next : clock.outside(next);
  }

  /** Whether a timer was set since this was last asked. */
  boolean takeNew() {
    boolean since = newTimer;
    newTimer = false;
    return since;
  }
}
