package dev.plinth.shards;

import dev.plinth.machine.Loop;
import dev.plinth.machine.Machine;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Some shards, and the work for them, which runs on one thread at a time. Whoever brings a command
 * runs it at once if nobody else is at work, since handing it to another thread costs more than
 * most commands do; otherwise it is left to the one that is. The loop's own thread does the rest:
 * timers, snapshots, the ends of large commits, and what others leave behind.
 *
 * <p>A pass runs urgent work, then timers, then as much normal work as one commit takes, then sends
 * what gathered. A shard whose commits are held up has its normal work kept for it, in order, and
 * the others go on. After a long stall the timers wait a moment more: renewals that came in
 * meanwhile are still in sockets and other threads' queues, and must not find their leases expired.
 */
final class ShardLoop implements ShardExecutor, AutoCloseable {
  private static final Logger log = System.getLogger("plinth.shards");
  static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final Duration END = Duration.ofSeconds(10);
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int MAX_A_PASS = 256;
  // A caller's thread has other calls to read.
  private static final int MAX_PASSES_OF_CALLERS = 4;

  private static final Runnable END_OF_QUEUE = () -> {};

  private final Queue<Runnable> urgent = new ConcurrentLinkedQueue<>();
  private final Queue<ShardTask> normal = new ConcurrentLinkedQueue<>();
  private final Queue<ShardTask> slow = new ConcurrentLinkedQueue<>();
  private final List<Shard> shards = new ArrayList<>();
  private final Machine machine;
  private final LongSupplier nanos;
  private final long idleNanos;
  private final Loop thread;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  // Held by whoever runs the work; before the start and after the end by nobody who would.
  private final AtomicBoolean running = new AtomicBoolean(true);
  private volatile boolean threadWaits;
  private volatile boolean asleep;
  private volatile boolean started;
  private volatile boolean closed;
  private long lastPass;
  private long timersFrom;
  private long wakesAt;

  ShardLoop(String name, Machine machine) {
    this(name, machine, IDLE_NANOS);
  }

  /**
   * @param idleNanos how long the thread sleeps where nobody wakes it and no timer is due
   */
  ShardLoop(String name, Machine machine, long idleNanos) {
    this.machine = machine;
    this.nanos = machine.time().nanos();
    this.idleNanos = idleNanos;
    this.lastPass = nanos.getAsLong();
    this.timersFrom = lastPass;
    this.thread = machine.loop(name, this::passOrSleep);
  }

  void start() {
    lastPass = nanos.getAsLong();
    wakesAt = lastPass;
    leave();
    started = true;
    thread.start();
  }

  /**
   * Completions of commits: ahead of new commands, since callers wait for them. The store's thread
   * runs what is urgent and no other work, for it has the commits of other loops to see to.
   */
  @Override
  public void execute(Runnable task) {
    urgent.add(task);
    runQueued(false);
    if (!normal.isEmpty()) {
      wake();
    }
  }

  @Override
  public void executeOnThread(Runnable task) {
    urgent.add(task);
    wake();
  }

  void submit(CommandPriority commandPriority, ShardTask task) {
    if (commandPriority == CommandPriority.URGENT) {
      urgent.add(task);
    } else {
      normal.add(task);
    }
    runQueued(true);
  }

  /** For work that may take long: the loop's own thread does it, never the caller's. */
  void submitSlow(ShardTask task) {
    slow.add(task.slow());
    wake();
  }

  /**
   * Runs what is queued, unless somebody is at it. Nothing is left behind: whoever finds the work
   * taken has queued before, and whoever lets go of it looks at the queues after.
   */
  private void runQueued(boolean all) {
    for (int passes = 0; all ? hasQueued() : !urgent.isEmpty(); passes++) {
      if (passes == MAX_PASSES_OF_CALLERS) {
        wake();
        return;
      }
      if (threadWaits || !running.compareAndSet(false, true)) {
        return;
      }
      boolean forThread = true;
      try {
        runUrgent(null);
        forThread = all ? runNormalAndFlush(null, false) : flush();
        forThread |= hasEarlierTimer();
      } finally {
        leave();
      }
      if (forThread) {
        thread.wake(); // asleep or about to be: it looks again
        return;
      }
    }
  }

  private void leave() {
    running.set(false);
    if (threadWaits) {
      thread.wake();
    }
  }

  /**
   * By the thread; false if somebody else is at work. Whoever that is wakes the thread when it
   * leaves, and those who bring work meanwhile leave it to the thread.
   */
  private boolean enter() {
    threadWaits = true;
    boolean entered = running.compareAndSet(false, true);
    if (entered) {
      threadWaits = false;
    }
    return entered;
  }

  private void wake() {
    if (asleep) {
      thread.wake();
    }
  }

  /** As the loop's work. The shard answers from now on. */
  void add(Shard shard) {
    shard.timers().start();
    shards.add(shard);
  }

  /** As the loop's work, once the shard decides nothing more: what it held back is refused. */
  void remove(Shard shard) {
    shards.remove(shard);
    shard.heldBack().beginPass();
    runHeldBack(shard.heldBack(), Integer.MAX_VALUE, true); // refused, so none of it is slow
  }

  /**
   * Fires every timer that is due after a clock was moved by hand, and returns once they have. The
   * end of work that is done in steps is waited for, too.
   */
  void fireTimersAfterJump(long maxSeconds) {
    try {
      boolean hasMore = !closed; // or nobody would do it
      while (hasMore) {
        hasMore =
            machine.await(
                CompletableFuture.supplyAsync(this::fireTimersOnce, this),
                Duration.ofSeconds(maxSeconds));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      log.log(Level.WARNING, "timers still run {0} s after the clock was moved", maxSeconds);
    } catch (ExecutionException e) {
      throw new IllegalStateException("timers cannot be fired", e.getCause());
    }
  }

  /** As the loop's work. A jump is no stall: timers do not wait for renewals. */
  private boolean fireTimersOnce() {
    long now = nanos.getAsLong();
    lastPass = now;
    timersFrom = now;
    fireTimers();
    return shards.stream()
        .mapToLong(shard -> shard.timers().next())
        .anyMatch(next -> next != Long.MAX_VALUE && next - now <= 0);
  }

  private void fireTimers() {
    for (Shard shard : shards) {
      shard.guarded(fired -> fired.timers().advance());
    }
  }

  /** One round of everything; true if there may be more to do at once. */
  boolean pass() {
    noticeStall();
    // All that waits already, so that a timer that is late finds every renewal that came before it;
    // and no more, since under load the queue is never empty.
    urgent.add(END_OF_QUEUE);
    runUrgent(END_OF_QUEUE);
    if (nanos.getAsLong() - timersFrom >= 0) {
      fireTimers();
    }
    return runNormalAndFlush(slow.poll(), true) || hasQueued() || !slow.isEmpty();
  }

  /** True if more of it can run at once. */
  private boolean runNormalAndFlush(ShardTask first, boolean onThread) {
    return runNormal(first, onThread) == MAX_A_PASS | flush();
  }

  /** Sends what has gathered; true if what was held back can run. */
  private boolean flush() {
    boolean heldBack = false;
    for (Shard shard : shards) {
      shard.guarded(Shard::flush);
      heldBack |= shard.heldBack().hasWork();
    }
    return heldBack;
  }

  private void noticeStall() {
    long now = nanos.getAsLong();
    if (now - lastPass > STALL_NANOS) {
      timersFrom = now + Math.min(now - lastPass, STALL_NANOS);
    }
    lastPass = now;
  }

  /** Up to a task, or as many as a pass takes. */
  private void runUrgent(Runnable last) {
    for (int done = 0; last != null || done < MAX_A_PASS; done++) {
      Runnable task = urgent.poll();
      if (task == null || task == last) {
        return;
      }
      run(task);
    }
  }

  private int runNormal(ShardTask first, boolean onThread) {
    int done = 0;
    for (Shard shard : shards) {
      shard.heldBack().beginPass();
      done += runHeldBack(shard.heldBack(), MAX_A_PASS - done, onThread);
    }
    ShardTask task = first == null ? normal.poll() : first;
    while (task != null) {
      if (!task.shard().heldBack().hold(task)) {
        run(task);
        done++;
      }
      task = done < MAX_A_PASS ? normal.poll() : null;
    }
    return done;
  }

  private static int runHeldBack(HeldBackTasks heldBack, int most, boolean onThread) {
    int done = 0;
    while (done < most) {
      ShardTask task = heldBack.poll(onThread);
      if (task == null) {
        break;
      }
      run(task);
      done++;
    }
    return done;
  }

  private boolean hasQueued() {
    return !urgent.isEmpty() || !normal.isEmpty();
  }

  /** A timer that is due before the thread would look; it was set since the thread slept. */
  private boolean hasEarlierTimer() {
    boolean found = false;
    for (Shard shard : shards) {
      if (shard.timers().takeNew()) {
        long next = shard.timers().next();
        found |= next != Long.MAX_VALUE && next - wakesAt < 0;
      }
    }
    return found;
  }

  /** Whatever one task does, an Error too, the thread and its other shards go on. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable thrown) {
      log.log(Level.ERROR, "a task of a shard failed", thrown);
    }
  }

  /** What the thread does, over and over; returns for how long it may sleep then. */
  private long passOrSleep() {
    asleep = false;
    if (!enter()) {
      return Loop.UNTIL_WOKEN;
    }
    if (closed) {
      ended.complete(null); // and nobody leaves it
      return Loop.UNTIL_WOKEN;
    }
    boolean more = true;
    try {
      more = pass();
      wakesAt = nanos.getAsLong() + sleepNanos();
    } finally {
      leave();
    }
    return more ? 0 : sleep();
  }

  private long sleep() {
    asleep = true;
    // A task added before the flag was set would not wake us; one added after it does.
    boolean idle = !hasQueued() && slow.isEmpty() && !closed;
    return idle ? Math.max(wakesAt - nanos.getAsLong(), 1) : 0;
  }

  private long sleepNanos() {
    long now = nanos.getAsLong();
    long wait = idleNanos;
    for (Shard shard : shards) {
      long next = shard.timers().next();
      if (next != Long.MAX_VALUE) {
        wait = Math.min(wait, Math.max(next, timersFrom) - now);
      }
    }
    return Math.max(wait, 1);
  }

  @Override
  public void close() {
    closed = true;
    thread.wake();
    try {
      if (started) {
        machine.await(ended, END);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.WARNING, "the work of a shard does not end", e);
    }
    thread.close();
  }
}
