package dev.plinth.shards;

import dev.plinth.server.Threads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * One thread and the shards it serves. A pass runs urgent work, then timers, then as much normal
 * work as one commit takes, then sends what gathered. A shard whose commits are held up has its
 * normal work kept for it, in order, and the others go on. After a long stall the timers wait a
 * moment more: renewals that came in meanwhile are still in sockets and other threads' queues, and
 * must not find their leases expired.
 */
final class ShardLoop implements Executor, AutoCloseable {
  private static final Logger log = System.getLogger("plinth.shards");
  static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int MOST_A_PASS = 256;

  private final Queue<Runnable> urgent = new ConcurrentLinkedQueue<>();
  private final Queue<ShardTask> normal = new ConcurrentLinkedQueue<>();
  private final List<Shard> shards = new ArrayList<>();
  private final LongSupplier nanos;
  private final Thread thread;
  private long lastPass;
  private long timersFrom;
  private volatile boolean asleep;
  private volatile boolean closed;

  ShardLoop(String name, LongSupplier nanos) {
    this.nanos = nanos;
    this.lastPass = nanos.getAsLong();
    this.timersFrom = lastPass;
    this.thread = Threads.daemons(name).newThread(this::runUntilClosed);
  }

  void start() {
    lastPass = nanos.getAsLong();
    thread.start();
  }

  /** Completions of commits: ahead of new commands, since callers wait for them. */
  @Override
  public void execute(Runnable task) {
    urgent.add(task);
    wake();
  }

  void submit(Lane lane, ShardTask task) {
    if (lane == Lane.URGENT) {
      urgent.add(task);
    } else {
      normal.add(task);
    }
    wake();
  }

  private void wake() {
    if (asleep) {
      LockSupport.unpark(thread);
    }
  }

  /** On the loop's thread. The shard answers from now on. */
  void add(Shard shard) {
    shard.start();
    shards.add(shard);
  }

  /** On the loop's thread, once the shard decides nothing more: what it held back is refused. */
  void remove(Shard shard) {
    shards.remove(shard);
    shard.beginPass();
    runHeldBack(shard, Integer.MAX_VALUE);
  }

  /** One round of everything; true if there may be more to do at once. */
  boolean pass() {
    noticeStall();
    drainUrgent();
    if (nanos.getAsLong() - timersFrom >= 0) {
      for (Shard shard : shards) {
        shard.guarded(Shard::advance);
      }
    }
    int done = runNormal();
    for (Shard shard : shards) {
      shard.guarded(Shard::flush);
    }
    return done == MOST_A_PASS || hasWork();
  }

  private void noticeStall() {
    long now = nanos.getAsLong();
    if (now - lastPass > STALL_NANOS) {
      timersFrom = now + Math.min(now - lastPass, STALL_NANOS);
    }
    lastPass = now;
  }

  private void drainUrgent() {
    for (Runnable task = urgent.poll(); task != null; task = urgent.poll()) {
      run(task);
    }
  }

  private int runNormal() {
    int done = 0;
    for (Shard shard : shards) {
      shard.beginPass();
      done += runHeldBack(shard, MOST_A_PASS - done);
    }
    while (done < MOST_A_PASS) {
      ShardTask task = normal.poll();
      if (task == null) {
        break;
      }
      if (!task.shard().holdBack(task)) {
        run(task);
        done++;
      }
    }
    return done;
  }

  private static int runHeldBack(Shard shard, int most) {
    int done = 0;
    while (done < most) {
      ShardTask task = shard.pollHeldBack();
      if (task == null) {
        break;
      }
      run(task);
      done++;
    }
    return done;
  }

  private boolean hasWork() {
    if (!urgent.isEmpty() || !normal.isEmpty()) {
      return true;
    }
    for (Shard shard : shards) {
      if (shard.hasWork()) {
        return true;
      }
    }
    return false;
  }

  /** Whatever one task does, an Error too, the thread and its other shards go on. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable thrown) {
      log.log(Level.ERROR, "a task of a shard failed", thrown);
    }
  }

  private void runUntilClosed() {
    while (!closed) {
      run(this::passOrSleep);
    }
  }

  private void passOrSleep() {
    if (!pass()) {
      sleep();
    }
  }

  private void sleep() {
    asleep = true;
    // A task added before the flag was set would not wake us; one added after it does.
    if (!hasWork()) {
      LockSupport.parkNanos(this, sleepNanos());
    }
    asleep = false;
  }

  private long sleepNanos() {
    long now = nanos.getAsLong();
    long wait = IDLE_NANOS;
    for (Shard shard : shards) {
      long next = shard.nextTimer();
      if (next != Long.MAX_VALUE) {
        wait = Math.min(wait, Math.max(next, timersFrom) - now);
      }
    }
    return Math.max(wait, 1);
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
