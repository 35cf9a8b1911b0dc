package dev.plinth.simulation.kernel;

import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A real thread for code that blocks. It runs only while it holds the baton, and whoever handed it
 * over waits meanwhile, so of a simulation one thread runs at a time. Threads are used again by
 * later tasks and simulations.
 */
final class BatonThread extends Thread {
  private static final long WATCHDOG_NANOS = 20_000_000_000L;
  private static final ConcurrentLinkedDeque<BatonThread> idle = new ConcurrentLinkedDeque<>();
  private static final AtomicInteger count = new AtomicInteger();

  private volatile boolean running; // it has the baton
  private volatile Thread driver;
  private volatile Runnable body;
  private SimulatedThread current;

  private BatonThread() {
    super("simulated-" + count.incrementAndGet());
    setDaemon(true);
  }

  /** One that has nothing to do. */
  static BatonThread take(SimulatedThread current) {
    BatonThread thread = idle.pollFirst();
    if (thread == null) {
      thread = new BatonThread();
      thread.start();
    }
    thread.current = current;
    return thread;
  }

  static int created() {
    return count.get();
  }

  SimulatedThread current() {
    return current;
  }

  /** Begins a task, and returns when it has given the baton back for the first time. */
  void begin(Runnable task) {
    body = task;
    handOver();
  }

  /** Lets it go on, and returns when it gives the baton back. */
  void handOver() {
    driver = Thread.currentThread();
    running = true;
    LockSupport.unpark(this);
    long since = System.nanoTime();
    while (running) {
      LockSupport.parkNanos(this, WATCHDOG_NANOS / 20);
      if (running && System.nanoTime() - since > WATCHDOG_NANOS) {
        throw new IllegalStateException(
            getName() + " (" + current + ") keeps the baton:\n  " + stack());
      }
    }
  }

  private String stack() {
    return String.join(
        "\n  ", Arrays.stream(getStackTrace()).map(StackTraceElement::toString).toList());
  }

  /** Called by this thread: lets the simulation go on, until the baton comes back. */
  void giveBack() {
    boolean interrupted = false;
    Thread back = driver;
    running = false;
    LockSupport.unpark(back);
    while (!running) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted(); // or it would not park again
    }
    if (interrupted) {
      interrupt();
    }
  }

  @Override
  public void run() {
    while (true) {
      while (!running) {
        LockSupport.park(this);
      }
      body.run();
      Thread.interrupted();
      body = null;
      current = null;
      Thread back = driver;
      driver = null;
      // Before the baton goes back: the next task may be waiting for a thread.
      running = false;
      idle.addFirst(this);
      LockSupport.unpark(back);
    }
  }
}
