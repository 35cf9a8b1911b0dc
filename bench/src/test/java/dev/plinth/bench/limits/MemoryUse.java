package dev.plinth.bench.limits;

import dev.plinth.bench.BenchRedis;
import dev.plinth.bench.Table;
import dev.plinth.machine.Threads;
import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.ratelimit.store.embedded.EmbeddedBudgetStore;
import io.lettuce.core.FlushMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** What limiters keep in memory: for each key that was used once, and for each descriptor. */
final class MemoryUse {
  private static final Limit HOURLY = new Limit(10, Duration.ofHours(1));
  private static final List<Entry> IN_REDIS =
      List.of(Entry.BUCKET4J, Entry.REDISSON, Entry.SCRIPT, Entry.ENGINE);
  private static final int IN_HEAP = 100_000;
  private static final int DESCRIPTORS = 20_000;

  private final BenchRedis redis;
  private final Clients clients;
  private final Table table = new Table("what", "where", "bytes each", "by our estimate");

  MemoryUse(BenchRedis redis, Clients clients) {
    this.redis = redis;
    this.clients = clients;
  }

  Table table() throws Exception {
    for (Entry entry : IN_REDIS) {
      table.row("idle key, " + entry, "Redis", Table.count(inRedis(entry)), "");
    }
    embedded();
    descriptors();
    return table;
  }

  private double inRedis(Entry entry) throws Exception {
    Case what = new Case(Keys.UNIFORM, HOURLY, "memory-" + entry.name());
    int keys = what.keys().count();
    redis.commands().flushall(FlushMode.SYNC);
    Contestant contestant = entry.open(clients, what);
    try {
      contestant.define();
      contestant.tryAcquire(0); // scripts and connections
      long before = redis.usedBytes();
      for (int key = 1; key < keys; key++) {
        contestant.tryAcquire(key);
      }
      return (double) (redis.usedBytes() - before) / (keys - 1);
    } finally {
      contestant.close();
    }
  }

  private void embedded() {
    RowMemory rows = new RowMemory(Long.MAX_VALUE);
    long before = usedHeap();
    try (EmbeddedBudgetStore store = EmbeddedBudgetStore.open(rows)) {
      for (int key = 0; key < IN_HEAP; key++) {
        store.apply("memory", List.of(take("memory/user=" + key))).toCompletableFuture().join();
      }
      double each = (double) (usedHeap() - before) / IN_HEAP;
      double estimate = (double) rows.used() / IN_HEAP;
      table.row("idle key, embedded", "heap", Table.count(each), Table.count(estimate));
    }
  }

  private static BudgetRequest take(String key) {
    Budget budget =
        new Budget(key, PlinthEngine.bucket(HOURLY), 1, OnChange.AS_IS, false, Optional.empty());
    return BudgetRequest.of(Operation.Take.of(List.of(new Charge(budget, 1))));
  }

  /** Checked against Redis, so that the budgets themselves are not in this heap. */
  private void descriptors() {
    DescriptorCache cache = new DescriptorCache(1L << 30);
    Policy only = new Policy("memory", 1, List.of(PlinthEngine.rule(HOURLY)), Instant.now());
    CompiledPolicy policy = CompiledPolicy.of(only, cache);
    ScheduledExecutorService scheduler =
        Executors.newSingleThreadScheduledExecutor(Threads.daemons("memory"));
    try (RateLimits limits = PlinthEngine.limits(clients.budgets(), scheduler)) {
      checkRandom(limits, policy, 1_000); // classes and connections
      long entries = cache.entries();
      long bytes = cache.bytes();
      long before = usedHeap();
      checkRandom(limits, policy, DESCRIPTORS);
      long more = cache.entries() - entries;
      double each = (double) (usedHeap() - before) / more;
      double estimate = (double) (cache.bytes() - bytes) / more;
      table.row("random descriptor", "heap", Table.count(each), Table.count(estimate));
    } finally {
      scheduler.shutdown();
    }
  }

  private static void checkRandom(RateLimits limits, CompiledPolicy policy, int times) {
    for (int i = 0; i < times; i++) {
      Descriptor random = new Descriptor(PlinthChecks.DESCRIPTOR, UUID.randomUUID().toString());
      Check check = new Check(List.of(random), 1, false, Optional.empty());
      limits.check(policy, check).toCompletableFuture().join();
    }
  }

  private static long usedHeap() {
    Runtime heap = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least = Math.min(least, heap.totalMemory() - heap.freeMemory());
    }
    return least;
  }
}
