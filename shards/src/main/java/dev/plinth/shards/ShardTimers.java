package dev.plinth.shards;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The time of one shard and the timers on it. They fire only while the shard may decide something:
 * without a store that takes writes an expiry would be lost, and the shard with it. They are late
 * then, never lost. Timers that only tell callers something do not wait for the store.
 */
final class ShardTimers {
  private final ShardClock clock;
  private final TimerWheel wheel;
  private final TimerWheel telling;
  private final BooleanSupplier mayFire;
  private final BooleanSupplier isStopped;
  private final TimerListener listener;
  private boolean newTimer;

  /** Runs the task of a timer that is due, and learns how late it is. */
  @FunctionalInterface
  interface TimerListener {
    void fire(Tx.TimerTask task, long lateNanos);
  }

  /**
   * @param mayFire whether the shard may decide something
   * @param isStopped whether it decides and tells nothing more
   */
  ShardTimers(
      LongSupplier nanos,
      BooleanSupplier mayFire,
      BooleanSupplier isStopped,
      TimerListener listener) {
    this.clock = new ShardClock(nanos);
    this.wheel = new TimerWheel(clock.getAsLong());
    this.telling = new TimerWheel(clock.getAsLong());
    this.mayFire = mayFire;
    this.isStopped = isStopped;
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
    return schedule(wheel, dueNanos, task);
  }

  /** For a task that writes nothing. */
  Tx.Timer scheduleTelling(long dueNanos, Tx.TimerTask task) {
    return schedule(telling, dueNanos, tx -> tell(task, tx));
  }

  private static void tell(Tx.TimerTask task, Tx tx) {
    task.run(tx);
    if (tx.writes() > 0) {
      throw new IllegalStateException("a timer that only tells has written");
    }
  }

  private Tx.Timer schedule(TimerWheel to, long dueNanos, Tx.TimerTask task) {
    newTimer = true;
    TimerWheel.Timer timer =
        to.schedule(dueNanos, () -> listener.fire(task, Math.max(0, now() - dueNanos)));
    return timer::cancel;
  }

  /** Fires those that are due. */
  void advance() {
    if (mayFire.getAsBoolean()) {
      wheel.advance(now());
    }
    if (!isStopped.getAsBoolean()) {
      telling.advance(now());
    }
  }

  /** When the next may be due, on the clock of the loop; {@code Long.MAX_VALUE} if none may. */
  long next() {
    return Math.min(next(wheel, mayFire.getAsBoolean()), next(telling, !isStopped.getAsBoolean()));
  }

  private long next(TimerWheel of, boolean fires) {
    long next = fires ? of.nextNanos() : Long.MAX_VALUE;
    return next == Long.MAX_VALUE ? next : clock.outside(next);
  }

  /** Whether a timer was set since this was last asked. */
  boolean takeNew() {
    boolean since = newTimer;
    newTimer = false;
    return since;
  }
}
