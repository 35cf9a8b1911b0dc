package dev.plinth.ratelimit.store.redis;

import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.pipeline.AdmissionBounds;
import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.CountingLimitEvents;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.pipeline.NodeContext;
import dev.plinth.ratelimit.pipeline.PipelineOptions;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.testkit.AdmissionChecker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Threads of one node that check one LOCAL rule, and note what was admitted and when. */
final class CheckLoad implements AutoCloseable {
  private static final int THREADS = 4;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  final LongAdder byTheStore = new LongAdder();
  final LongAdder local = new LongAdder();
  private final AdmissionChecker admitted = new AdmissionChecker();
  private final AtomicLong slowestMicros = new AtomicLong();
  private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
  private final List<Thread> threads = new ArrayList<>();
  private final Limit limit;
  private final RateLimits limits;
  private volatile boolean stopped;

  private CheckLoad(BudgetStore store, String domain, Limit limit) {
    this.limit = limit;
    this.limits =
        new RateLimits(
            store,
            PipelineOptions.DEFAULTS,
            new NodeContext(
                Machine.system(), scheduler, () -> 1, 1L << 26, new CountingLimitEvents()));
    CompiledPolicy policy = CompiledPolicy.of(policy(domain, limit));
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(() -> run(policy), "check-load-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  static CheckLoad on(BudgetStore store, String domain, Limit limit) {
    return new CheckLoad(store, domain, limit);
  }

  private static Policy policy(String domain, Limit limit) {
    Rule rule = Rule.of("rate", List.of(), limit);
    return new Policy(domain, 1, List.of(rule), Instant.EPOCH);
  }

  private void run(CompiledPolicy policy) {
    Check check = new Check(List.of(), 1, false, Optional.empty());
    while (!stopped) {
      long begin = micros();
      Decision decision = limits.check(policy, check).toCompletableFuture().join();
      long end = micros();
      slowestMicros.accumulateAndGet(end - begin, Math::max);
      if (decision.verdict() == Verdict.ALLOW) {
        admitted.admitted(end, 1);
        (decision.decidedBy() == DecidedBy.LOCAL_FALLBACK ? local : byTheStore).increment();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static long micros() {
    return System.nanoTime() / 1000;
  }

  /**
   * In any stretch no more than the limit and what one node may admit alone. A decision was made
   * somewhere within its call, so each stretch may have been longer by the slowest one; and what
   * the store admitted counts in the node's own budget only when its answer is here.
   *
   * @param lost more, for state that the store lost
   */
  void assertWithinBound(long lost) {
    stop();
    long slack = 2 * slowestMicros.get();
    admitted.checkEach(
        micros ->
            AdmissionBounds.over(limit, 0, micros + slack, 1)
                + AdmissionBounds.localFallback(limit, limit, 1, micros)
                + lost);
  }

  private void stop() {
    stopped = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    stop();
    limits.close();
    scheduler.shutdownNow();
  }
}
