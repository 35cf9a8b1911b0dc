package dev.plinth.bench.limits;

import dev.plinth.machine.Machine;
import dev.plinth.machine.Threads;
import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.pipeline.NodeContext;
import dev.plinth.ratelimit.pipeline.PipelineOptions;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit.Bucket;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.store.BudgetStore;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** What decides in our service, in the caller's own process: no gRPC, as libraries have none. */
final class PlinthEngine implements Contestant {
  private static final Set<DecidedBy> EXACT = Set.of(DecidedBy.STORE, DecidedBy.DENY_CACHE);

  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(Threads.daemons("limits"));
  private final RateLimits limits;
  private final CompiledPolicy policy;
  private final PerKey<Check> checks;

  PlinthEngine(Clients clients, Case what) {
    limits = limits(clients.budgets(), scheduler);
    policy =
        CompiledPolicy.of(new Policy(what.run(), 1, List.of(rule(what.limit())), Instant.now()));
    checks =
        new PerKey<>(
            what.keys().count(),
            key ->
                new Check(
                    List.of(new Descriptor(PlinthChecks.DESCRIPTOR, what.name(key))),
                    1,
                    false,
                    Optional.empty()));
  }

  /** With a store that is waited for as long as it takes. */
  static RateLimits limits(BudgetStore budgets, ScheduledExecutorService scheduler) {
    return new RateLimits(
        budgets,
        PipelineOptions.DEFAULTS.withStoreBudget(Duration.ofSeconds(10)),
        new NodeContext(Machine.system(), scheduler, () -> 1, 1L << 26, new Uncounted()));
  }

  static Bucket bucket(Limit limit) {
    BigInteger burst = BigInteger.valueOf(limit.burst());
    BigInteger micros = BigInteger.valueOf(limit.period().toNanos() / 1_000);
    BigInteger shared = burst.gcd(micros);
    return new Bucket(
        limit.burst(),
        micros.divide(shared).longValueExact(),
        burst.divide(shared).longValueExact());
  }

  static Rule rule(Limit limit) {
    return new Rule(
        "each",
        1,
        List.of(new Rule.Match(PlinthChecks.DESCRIPTOR, "")),
        Rule.Counting.of(bucket(limit)),
        new Rule.Enforcement(false, Rule.Enforcement.ALL, Rule.FailMode.CLOSED, 0),
        Optional.empty(),
        List.of(),
        Optional.empty());
  }

  @Override
  public boolean tryAcquire(int key) throws Exception {
    Decision decision = limits.check(policy, checks.get(key)).toCompletableFuture().get();
    if (!EXACT.contains(decision.decidedBy())) {
      throw new IllegalStateException("not decided by the store: " + decision);
    }
    return decision.verdict() == Verdict.ALLOW;
  }

  @Override
  public void close() {
    limits.close();
    scheduler.shutdown();
  }
}
