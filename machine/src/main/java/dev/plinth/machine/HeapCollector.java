package dev.plinth.machine;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Makes the JVM look for garbage although the process allocates little. G1 does so beside the
 * running threads once it is told an interval. Other collectors stop them all for it: for those it
 * is asked rarely, and only where the alternative is to refuse all work.
 */
interface HeapCollector {
  /** Asks for a collection, and does not wait for it. */
  void collect();

  /** No more are needed. */
  void rest();

  static HeapCollector ofThisProcess() {
    HotSpotDiagnosticMXBean jvm =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      if (Boolean.parseBoolean(jvm.getVMOption("UseG1GC").getValue())) {
        return new Concurrent(jvm, jvm.getVMOption(Concurrent.INTERVAL).getValue());
      }
    } catch (IllegalArgumentException e) {
      // A JVM without G1.
    }
    return new Full();
  }

  /** By the interval at which G1 collects if nothing else makes it. */
  record Concurrent(HotSpotDiagnosticMXBean jvm, String before) implements HeapCollector {
    static final String INTERVAL = "G1PeriodicGCInterval";
    private static final String MILLIS = "1000";

    @Override
    public void collect() {
      jvm.setVMOption(INTERVAL, MILLIS);
    }

    @Override
    public void rest() {
      jvm.setVMOption(INTERVAL, before);
    }
  }

  /** On a thread that ends again. */
  final class Full implements HeapCollector {
    private final Executor thread;

    Full() {
      ThreadPoolExecutor one =
          new ThreadPoolExecutor(
              1,
              1,
              1,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(1),
              Threads.daemons("plinth-heap"),
              (task, executor) -> {}); // one is on its way
      one.allowCoreThreadTimeOut(true);
      thread = one;
    }

    @Override
    public void collect() {
      thread.execute(System::gc);
    }

    @Override
    public void rest() {}
  }
}
