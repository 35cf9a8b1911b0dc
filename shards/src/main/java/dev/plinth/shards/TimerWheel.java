package dev.plinth.shards;

import java.util.Arrays;

/**
 * Timers by the million at a constant cost each: a hierarchical wheel with millisecond ticks. A
 * timer never fires before its time. To put one off, let it fire and schedule it again; that costs
 * less than moving it at every renewal. One that is overdue when it is scheduled fires at the next
 * advance, also of a clock that stands still.
 *
 * <p>Four levels of 64 slots. A slot of level 0 is one tick wide, of level 1 it is 64 ticks, and so
 * on; when the time reaches a slot of a higher level, its timers move down to where they belong. A
 * bit per slot tells which hold anything, so that idle time costs nothing.
 */
final class TimerWheel {
  private static final int BITS = 6;
  private static final int SLOTS = 1 << BITS;
  private static final int LEVELS = 4;
  private static final long REACH = 1L << (BITS * LEVELS);
  private static final long TICK = 1_000_000;

  /** One scheduled task, linked with the others of its slot. */
  static final class Timer {
    private final long due;
    private final Runnable task;
    private Timer before = this;
    private Timer after = this;

    private Timer(long due, Runnable task) {
      this.due = due;
      this.task = task;
    }

    /** It will not fire, and is forgotten at once: most timers of a lease never fire. */
    void cancel() {
      before.after = after;
      after.before = before;
      before = this;
      after = this;
    }

    private void addBefore(Timer next) {
      before = next.before;
      after = next;
      before.after = this;
      next.before = this;
    }
  }

  /** The timers of a slot are a ring that begins and ends at one which never fires. */
  private final Timer[][] slots = new Timer[LEVELS][SLOTS];

  private final long[] filled = new long[LEVELS];
  private final Timer overdue = new Timer(0, null);
  private final long start;
  private long lastAdvance;
  private long tick;

  TimerWheel(long startNanos) {
    this.start = startNanos;
    this.lastAdvance = startNanos;
    for (Timer[] level : slots) {
      Arrays.setAll(level, slot -> new Timer(0, null));
    }
  }

  /** Fires at the first advance whose time is not before {@code dueNanos}. */
  Timer schedule(long dueNanos, Runnable task) {
    Timer timer = new Timer(Math.max(tick + 1, ticksUp(dueNanos)), task);
    // In an advance that is not through yet, its tick is still to come.
    if (dueNanos - lastAdvance <= 0 && tick == ticks(lastAdvance)) {
      timer.addBefore(overdue);
    } else {
      place(timer);
    }
    return timer;
  }

  /** Fires everything due by now, in the order of due ticks; what a task schedules may fire too. */
  void advance(long nowNanos) {
    lastAdvance = nowNanos;
    fireOverdue();
    long now = ticks(nowNanos);
    while (tick < now) {
      long next = nextTick();
      if (next > now) {
        tick = now;
        return;
      }
      tick = next;
      cascade();
      fire(slot(0, tick));
    }
  }

  /** Nothing can be due before this time; {@code Long.MAX_VALUE} if there is no timer at all. */
  long nextNanos() {
    if (overdue.after != overdue) {
      return lastAdvance;
    }
    long next = nextTick();
    return next == Long.MAX_VALUE ? Long.MAX_VALUE : start + next * TICK;
  }

  private long ticks(long nanos) {
    return (nanos - start) / TICK;
  }

  private long ticksUp(long dueNanos) {
    return Math.floorDiv(dueNanos - start + TICK - 1, TICK);
  }

  private void place(Timer timer) {
    // Beyond the reach a timer waits in the farthest slot, and is placed anew from there.
    long due = Math.min(timer.due, tick + REACH - 1);
    int level = 0;
    while (level < LEVELS - 1 && due >> (BITS * (level + 1)) != tick >> (BITS * (level + 1))) {
      level++;
    }
    timer.addBefore(slot(level, due));
    filled[level] |= 1L << index(level, due);
  }

  /** The next tick at which a slot of some level is reached that holds anything. */
  private long nextTick() {
    long next = Long.MAX_VALUE;
    for (int level = 0; level < LEVELS; level++) {
      if (filled[level] != 0) {
        next = Math.min(next, nextOf(level));
      }
    }
    return next;
  }

  private long nextOf(int level) {
    int shift = BITS * level;
    long position = tick >> shift;
    // The slot of now was emptied when it was reached, so the search starts at the one after it.
    long ahead = Long.rotateRight(filled[level], (int) ((position + 1) & (SLOTS - 1)));
    return (position + 1 + Long.numberOfTrailingZeros(ahead)) << shift;
  }

  /** Moves the timers of each higher level whose slot begins at this tick. */
  private void cascade() {
    for (int level = LEVELS - 1; level > 0; level--) {
      boolean begins = (tick & ((1L << (BITS * level)) - 1)) == 0;
      if (begins && (filled[level] & 1L << index(level, tick)) != 0) {
        filled[level] &= ~(1L << index(level, tick));
        Timer slot = slot(level, tick);
        for (Timer timer = slot.after; timer != slot; timer = slot.after) {
          timer.cancel();
          place(timer);
        }
      }
    }
  }

  /** Not those that their tasks schedule: work in steps would hold up everything else. */
  private void fireOverdue() {
    if (overdue.after == overdue) {
      return;
    }
    Timer last = new Timer(0, null);
    last.addBefore(overdue);
    for (Timer timer = overdue.after; timer != last; timer = overdue.after) {
      timer.cancel();
      timer.task.run();
    }
    last.cancel();
  }

  private void fire(Timer slot) {
    filled[0] &= ~(1L << index(0, tick));
    for (Timer timer = slot.after; timer != slot; timer = slot.after) {
      timer.cancel();
      timer.task.run();
    }
  }

  private Timer slot(int level, long at) {
    return slots[level][index(level, at)];
  }

  private static int index(int level, long at) {
    return (int) (at >> (BITS * level)) & (SLOTS - 1);
  }
}
