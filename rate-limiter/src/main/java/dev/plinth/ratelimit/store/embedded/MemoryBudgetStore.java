package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.core.BudgetStore;
import dev.plinth.ratelimit.core.Budgets;
import dev.plinth.ratelimit.core.Outcome;
import dev.plinth.ratelimit.core.Request;
import dev.plinth.server.Threads;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Budgets in memory alone, for one of several nodes, each of which decides for the domains whose
 * shards it owns. A domain that moves begins anew at the next node: at most one whole budget more
 * is admitted of each key, tickets and slots of the node before are not known, and request ids
 * neither. Nothing is on the disk, since a node that restarts has given its domains away.
 *
 * <p>Time is the wall clock when the store was opened, moved on by the monotonic clock. Tokens of
 * slots are times, so that they rise from node to node, as far as the nodes' clocks agree.
 */
public final class MemoryBudgetStore implements BudgetStore {
  private static final int SWEPT_PER_SECOND = 10_000;

  private final LongSupplier micros;
  private final ScheduledExecutorService scheduler;
  private final AtomicLong lastToken = new AtomicLong();
  private final Map<String, Budgets> domains = new ConcurrentHashMap<>();
  private volatile boolean closed;

  MemoryBudgetStore(LongSupplier micros, ScheduledExecutorService scheduler) {
    this.micros = micros;
    this.scheduler = scheduler;
    scheduler.scheduleWithFixedDelay(this::sweep, 1, 1, TimeUnit.SECONDS);
  }

  public static MemoryBudgetStore open() {
    return new MemoryBudgetStore(
        EmbeddedBudgetStore.clock(InstantSource.system(), System::nanoTime),
        Executors.newSingleThreadScheduledExecutor(Threads.daemons("plinth-budgets")));
  }

  @Override
  public CompletionStage<List<Outcome>> apply(String domain, List<Request> batch) {
    Budgets mine = domains.get(domain);
    if (mine == null) {
      mine = domains.computeIfAbsent(domain, name -> Budgets.untracked(this::token));
    }
    try {
      synchronized (mine) {
        if (closed) {
          throw StoreUnavailable.notApplied(kind(), "closed", null);
        }
        return CompletableFuture.completedFuture(mine.apply(batch, micros.getAsLong()));
      }
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private long token() {
    long now = micros.getAsLong();
    return lastToken.updateAndGet(last -> Math.max(last + 1, now));
  }

  private void sweep() {
    for (Budgets budgets : domains.values()) {
      synchronized (budgets) {
        budgets.sweep(SWEPT_PER_SECOND, micros.getAsLong());
      }
    }
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public String name() {
    return "budgets";
  }

  @Override
  public String kind() {
    return "memory";
  }

  @Override
  public String location() {
    return "this process";
  }

  @Override
  public Optional<String> trouble() {
    return Optional.empty();
  }

  @Override
  public void close() {
    closed = true;
    scheduler.shutdownNow();
  }
}
