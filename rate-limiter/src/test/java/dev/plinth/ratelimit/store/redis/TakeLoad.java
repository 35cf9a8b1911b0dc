package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;

/** Threads that take one unit after the other of one budget, and count what became of it. */
final class TakeLoad implements AutoCloseable {
  final LongAdder admitted = new LongAdder();
  final LongAdder denied = new LongAdder();
  final LongAdder surelyNot = new LongAdder();
  final LongAdder unknown = new LongAdder();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;
  private volatile Throwable bug;

  private TakeLoad() {}

  static TakeLoad on(RedisBudgetStore store, String domain, Budget budget, int threads) {
    TakeLoad load = new TakeLoad();
    BudgetRequest one = BudgetRequest.of(Operation.Take.of(List.of(new Charge(budget, 1))));
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> load.run(store, domain, List.of(one)), "load-" + i);
      load.threads.add(thread);
      thread.start();
    }
    return load;
  }

  private void run(RedisBudgetStore store, String domain, List<BudgetRequest> batch) {
    while (!stopped && bug == null) {
      try {
        Outcome outcome = store.apply(domain, batch).toCompletableFuture().join().get(0);
        (((Outcome.Taken) outcome).admitted() == 1 ? admitted : denied).increment();
      } catch (CompletionException e) {
        if (e.getCause() instanceof StoreUnavailable failure) {
          (failure.mayHaveApplied() ? unknown : surelyNot).increment();
          Thread.yield();
        } else {
          bug = e.getCause();
        }
      } catch (RuntimeException e) {
        bug = e;
      }
    }
  }

  /** What was answered up to now. */
  long answered() {
    return admitted.sum() + denied.sum();
  }

  /** Waits until every request has its answer. */
  void stop() {
    stopped = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }
    if (bug != null) {
      throw new AssertionError(bug);
    }
  }

  @Override
  public void close() {
    stop();
  }
}
