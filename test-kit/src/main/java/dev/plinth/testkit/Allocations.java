package dev.plinth.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * How many bytes some work allocates: a measure of its steps that does not depend on how fast or
 * busy the machine is.
 */
public final class Allocations {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocations() {}

  /** Of the second run on this thread; the first loads classes. */
  public static long of(Runnable work) {
    work.run();
    long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    work.run();
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
  }
}
