package dev.plinth.machine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;

/**
 * A loop on a thread of its own. Whatever the body throws, the loop goes on, after a moment: a body
 * that fails each time must fill neither the log nor a core.
 */
final class SystemLoop implements Loop {
  private static final Logger log = System.getLogger("plinth.machine");
  private static final long PAUSE_NANOS = 100_000_000;

  private final Body body;
  private final Thread thread;
  private volatile boolean closed;

  SystemLoop(String name, Body body) {
    this.body = body;
    this.thread = Threads.daemons(name).newThread(this::runUntilClosed);
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public void wake() {
    LockSupport.unpark(thread);
  }

  private void runUntilClosed() {
    while (!closed) {
      long sleep = runOnce();
      if (sleep == UNTIL_WOKEN) {
        LockSupport.park(this);
      } else if (sleep > 0) {
        LockSupport.parkNanos(this, sleep);
      }
    }
  }

  private long runOnce() {
    try {
      return body.run();
    } catch (Throwable thrown) {
      log.log(Level.ERROR, "the body of " + thread.getName() + " failed", thrown);
      return PAUSE_NANOS;
    }
  }

  @Override
  public void close() {
    closed = true;
    wake();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
