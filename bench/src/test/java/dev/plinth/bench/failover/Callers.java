package dev.plinth.bench.failover;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Callers on threads of their own, from before a fault until after it. */
final class Callers {
  private final Outage outage = new Outage();
  private final List<Thread> threads = new ArrayList<>();

  /** Starts them. */
  Callers(Function<Outage, List<Runnable>> callers) {
    for (Runnable caller : callers.apply(outage)) {
      Thread thread = new Thread(caller, "caller-" + threads.size());
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  Outage outage() {
    return outage;
  }

  /** Lets each end what it is at; fails if an answer was wrong. */
  void end() throws InterruptedException {
    outage.end();
    for (Thread thread : threads) {
      thread.join();
    }
    outage.check();
  }
}
