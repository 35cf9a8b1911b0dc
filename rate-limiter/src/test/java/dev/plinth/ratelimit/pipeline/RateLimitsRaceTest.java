package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.check;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.engine.EngineOnlyStore;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads on two nodes over one store whose time stands still: every unit is had exactly once. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RateLimitsRaceTest {
  private static final int THREADS = 4;
  private static final int TENANTS = 3;
  private static final long BURST = 60_000;

  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
  private final ExecutorService answers = Executors.newFixedThreadPool(2);
  private final ExecutorService callers = Executors.newFixedThreadPool(THREADS);
  private final AtomicLong admitted = new AtomicLong();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  /** Where a store answers on its own threads, queues are left and taken up all the time. */
  private BudgetStore far(BudgetStore near) {
    return new ForwardingStore(near) {
      @Override
      public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
        most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
        return CompletableFuture.supplyAsync(
            () -> {
              List<Outcome> outcomes = near.apply(domain, batch).toCompletableFuture().join();
              underWay.decrementAndGet();
              return outcomes;
            },
            answers);
      }
    };
  }

  @AfterEach
  void stop() {
    callers.shutdownNow();
    answers.shutdownNow();
    scheduler.shutdownNow();
  }

  private RateLimits limits(BudgetStore store, CountingLimitEvents events, int queues) {
    // A patient store budget: this is about races, not about time.
    PipelineOptions tuning =
        PipelineOptions.DEFAULTS.withQueues(queues).withStoreBudget(Duration.ofSeconds(60));
    return new RateLimits(
        store, tuning, new NodeContext(Machine.system(), scheduler, () -> 2, 1L << 26, events));
  }

  private static CompiledPolicy compiled() {
    return policy(
        bucket("tenant", BURST, 1_000_000)
            .match("tenant")
            .fail(FailMode.CLOSED)
            .lease(100, Duration.ofMillis(100), 2, 1000));
  }

  private void race(BudgetStore store, int queues) throws Exception {
    CountingLimitEvents events = new CountingLimitEvents();
    List<RateLimits> nodes = List.of(limits(store, events, queues), limits(store, events, queues));
    List<CompiledPolicy> policies = List.of(compiled(), compiled());
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(i);
      int node = i % nodes.size();
      done.add(callers.submit(() -> call(nodes.get(node), policies.get(node), random)));
    }
    for (Future<?> each : done) {
      each.get();
    }
    assertTrue(events.count("ALLOW LEASE") > 0);
    // What is still leased goes back; then the rest of the budgets is there for the taking.
    nodes.forEach(RateLimits::close);
    Await.until(
        "every unit was had",
        () -> {
          for (int tenant = 0; tenant < TENANTS; tenant++) {
            rest(nodes.get(0), tenant);
          }
          return admitted.get() >= TENANTS * BURST;
        });
    assertEquals(TENANTS * BURST, admitted.get());
    assertEquals(0, events.count("leases held"));
  }

  private void call(RateLimits limits, CompiledPolicy policy, Random random) {
    List<CompletableFuture<Void>> open = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      long cost = 1 + random.nextInt(10) / 9;
      open.add(take(limits, policy, random.nextInt(TENANTS), cost));
      if (open.size() == 64) {
        open.forEach(CompletableFuture::join);
        open.clear();
      }
    }
    open.forEach(CompletableFuture::join);
  }

  private CompletableFuture<Void> take(
      RateLimits limits, CompiledPolicy policy, int tenant, long cost) {
    return limits
        .check(policy, check(cost, "tenant", "t" + tenant))
        .thenAccept(
            decision -> {
              if (decision.verdict() != Verdict.DENY) {
                admitted.addAndGet(decision.granted());
              }
            })
        .toCompletableFuture();
  }

  private void rest(RateLimits limits, int tenant) {
    // Compiled anew, it does not remember denials.
    CompiledPolicy fresh = compiled();
    Check all =
        new Check(TestRules.descriptors("tenant", "t" + tenant), BURST, true, Optional.empty());
    admitted.addAndGet(limits.check(fresh, all).toCompletableFuture().join().granted());
  }

  @Test
  void units_areHadOnce_ofAStoreThatAnswersAtOnce() throws Exception {
    race(new EngineOnlyStore(), 2);
  }

  @Test
  void units_areHadOnce_ofAStoreThatAnswersLater() throws Exception {
    race(far(new EngineOnlyStore()), 1);
    // One lane each: a flush of a node at a time, and what closing gives back.
    assertTrue(most.get() <= 2, () -> most.get() + " flushes of two nodes at once");
  }
}
