package dev.plinth.ratelimit;

import dev.plinth.ratelimit.grpc.RateLimitNode;
import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.ratelimit.pipeline.LimitEvents;
import dev.plinth.ratelimit.store.BudgetStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Every meter of the rate limiter. */
final class RateLimitMetrics implements LimitEvents {
  private final MeterRegistry registry;
  private final Map<Verdict, Map<DecidedBy, Counter>> decisions = new EnumMap<>(Verdict.class);
  private final RuleCounters near;
  private final RuleCounters denied;
  private final RuleCounters wouldDeny;
  private final DistributionSummary flushRequests;
  private final DistributionSummary flushChecks;
  private final Timer answered;
  private final Timer failed;
  private final Counter merged;
  private final Counter undecided;
  private final Counter late;
  private final Counter leased;
  private final Counter returned;
  private final Counter denyCacheHits;
  private final AtomicInteger leases;
  private final AtomicLong leasedUnits;
  private final AtomicInteger breaker;

  RateLimitMetrics(MeterRegistry registry) {
    this.registry = registry;
    for (Verdict verdict : Verdict.values()) {
      Map<DecidedBy, Counter> by = new EnumMap<>(DecidedBy.class);
      for (DecidedBy decidedBy : DecidedBy.values()) {
        by.put(
            decidedBy,
            Counter.builder("plinth.ratelimit.decisions")
                .description("Decisions of checks, by what was decided and by whom")
                .tag("verdict", verdict.name())
                .tag("decided_by", decidedBy.name())
                .register(registry));
      }
      decisions.put(verdict, by);
    }
    near =
        new RuleCounters(
            registry, "near.limit", "Checks allowed with four fifths or more of the rule used");
    String over = "Checks that the rule denied; of a shadow, that it would have";
    denied = new RuleCounters(registry, "rule.denials", over, "mode", "enforced");
    wouldDeny = new RuleCounters(registry, "rule.denials", over, "mode", "shadow");
    flushRequests = summary("flush.requests", "Requests that a flush to the store carried");
    flushChecks = summary("flush.checks", "Checks that a flush to the store stood for");
    answered = timer("ok");
    failed = timer("failed");
    undecided =
        counter("undecided", "Requests that the store could not decide, though it answered");
    merged = counter("merged", "Checks that shared a request with others");
    late = counter("late", "Checks whose answer came after they were decided without it");
    leased = counter("leased.units", "Units that this node took in advance");
    returned = counter("returned.units", "Units of those that it gave back");
    denyCacheHits = counter("deny.cache.hits", "Checks denied by a denial that still held");
    leases = registry.gauge("plinth.ratelimit.leases", new AtomicInteger());
    leasedUnits = registry.gauge("plinth.ratelimit.leases.units", new AtomicLong());
    breaker = registry.gauge("plinth.ratelimit.breaker", new AtomicInteger());
  }

  private Counter counter(String name, String meaning) {
    return Counter.builder("plinth.ratelimit." + name).description(meaning).register(registry);
  }

  private DistributionSummary summary(String name, String meaning) {
    return DistributionSummary.builder("plinth.ratelimit." + name)
        .description(meaning)
        .register(registry);
  }

  private Timer timer(String result) {
    return Timer.builder("plinth.ratelimit.store")
        .description("How long the store of budgets took for a flush")
        .tag("result", result)
        .publishPercentileHistogram()
        .register(registry);
  }

  /** Gauges that are read from a node. */
  void watch(MeterRegistry of, RateLimitNode node) {
    Gauge.builder("plinth.ratelimit.policies", node, RateLimitNode::domains)
        .description("Domains whose policies this node keeps ready")
        .register(of);
    String broken = "Seconds since the watch of a policy broke that is broken longest";
    seconds(of, "policy.staleness", broken, node::staleness);
  }

  /** How much a crash would forget, of a store that writes checkpoints. */
  static void watch(MeterRegistry of, BudgetStore store) {
    store.rows().ifPresent(rows -> memory(of, "rows", rows::used, rows.max()));
    if (store.loss().isPresent()) {
      String now = "What a crash now would forget of embedded budgets";
      seconds(of, "checkpoint.loss", now, () -> store.loss().orElseThrow().now());
      String worst = "The most that a crash would have forgotten of late";
      seconds(of, "checkpoint.loss.worst", worst, () -> store.loss().orElseThrow().worst());
    }
  }

  /** One part of the memory that the process has for limits. */
  static void memory(MeterRegistry of, String part, LongSupplier used, long limit) {
    Gauge.builder("plinth.ratelimit.memory", used::getAsLong)
        .description("Memory for limits that is in use, by estimate")
        .tag("part", part)
        .baseUnit("bytes")
        .register(of);
    Gauge.builder("plinth.ratelimit.memory.limit", () -> limit)
        .description("Memory that this part may use")
        .tag("part", part)
        .baseUnit("bytes")
        .register(of);
  }

  private static void seconds(
      MeterRegistry of, String name, String meaning, Supplier<Duration> value) {
    Gauge.builder("plinth.ratelimit." + name, () -> value.get().toNanos() / 1e9)
        .description(meaning)
        .baseUnit("seconds")
        .register(of);
  }

  void watch(MeterRegistry of, DescriptorCache cache) {
    memory(of, "cache", cache::bytes, cache.maxBytes());
    Gauge.builder("plinth.ratelimit.cache.entries", cache, DescriptorCache::entries)
        .description("Descriptors and budgets that are remembered")
        .register(of);
    FunctionCounter.builder("plinth.ratelimit.cache.evictions", cache, DescriptorCache::evictions)
        .description("Descriptors and budgets that were forgotten to make room")
        .register(of);
  }

  @Override
  public void decided(Verdict verdict, DecidedBy by) {
    decisions.get(verdict).get(by).increment();
  }

  @Override
  public void nearLimit(String domain, String rule) {
    near.increment(domain, rule);
  }

  @Override
  public void overLimit(String domain, String rule, boolean shadow) {
    (shadow ? wouldDeny : denied).increment(domain, rule);
  }

  @Override
  public void flushed(int requests, int checks) {
    flushRequests.record(requests);
    flushChecks.record(checks);
  }

  @Override
  public void storeAnswered(long nanos, boolean ok) {
    (ok ? answered : failed).record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void undecided() {
    undecided.increment();
  }

  @Override
  public void merged(int checks) {
    merged.increment(checks);
  }

  @Override
  public void late(int checks) {
    late.increment(checks);
  }

  @Override
  public void leased(long units) {
    leased.increment(units);
  }

  @Override
  public void leaseEnded(long granted, long given) {
    returned.increment(given);
  }

  @Override
  public void leasesHeld(int change, long units) {
    leases.addAndGet(change);
    leasedUnits.addAndGet(units);
  }

  @Override
  public void denyCacheHit() {
    denyCacheHits.increment();
  }

  /** 0 closed, 1 open, 2 half open. */
  @Override
  public void breaker(CircuitState state) {
    breaker.set(state.ordinal());
  }
}
