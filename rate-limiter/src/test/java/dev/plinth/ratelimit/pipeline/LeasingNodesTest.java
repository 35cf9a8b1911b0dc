package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.testkit.AdmissionChecker;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several nodes that lease from one store, some of which are slow, idle or die. */
class LeasingNodesTest {
  private static final Duration TTL = Duration.ofMillis(200);
  private static final int NODES = 4;

  private final ManualClock clock = new ManualClock();
  private final DelayedAnswerStore store = new DelayedAnswerStore(clock);
  private final AdmissionChecker admitted = new AdmissionChecker();
  private final List<DecisionFixture> nodes = new ArrayList<>();
  private final List<CompiledPolicy> policies = new ArrayList<>();
  private final List<CountingLimitEvents> events = new ArrayList<>();
  private long total;

  private void run(Random random, Supplier<CompiledPolicy> policy) {
    for (int i = 0; i < NODES; i++) {
      start(i, policy);
    }
    for (int step = 0; step < 3000; step++) {
      int who = random.nextInt(NODES);
      if (random.nextInt(400) == 0) {
        start(who, policy); // the one before died, and whatever it had leased is gone
      }
      hold(random);
      int burst = random.nextInt(20) == 0 ? 60 : random.nextInt(4);
      for (int i = 0; i < burst; i++) {
        check(who, 1 + (random.nextInt(10) == 0 ? random.nextInt(4) : 0));
      }
      clock.advance(Duration.of(random.nextInt(4000), ChronoUnit.MICROS));
      if (random.nextInt(3) == 0) {
        store.answerAll();
      }
    }
  }

  /** Most answers come at once, some when others were asked, and a few never. */
  private void hold(Random random) {
    if (random.nextInt(3) == 0) {
      store.hold();
    } else {
      store.answerAll();
      store.prompt();
    }
    if (random.nextInt(50) == 0 && store.isHolding()) {
      store.lose();
    }
  }

  private void start(int queueHash, Supplier<CompiledPolicy> policy) {
    DecisionFixture node =
        new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(2), clock, store);
    events.add(node.events);
    if (queueHash < nodes.size()) {
      nodes.set(queueHash, node);
      policies.set(queueHash, policy.get());
    } else {
      nodes.add(node);
      policies.add(policy.get());
    }
  }

  private void check(int who, long cost) {
    nodes
        .get(who)
        .check(policies.get(who), cost)
        .thenAccept(
            decision -> {
              if (decision.verdict() == Verdict.ALLOW) {
                assertTrue(
                    decision.decidedBy() == DecidedBy.LEASE
                        || decision.decidedBy() == DecidedBy.STORE);
                total += decision.granted();
                admitted.admitted(micros(), decision.granted());
              }
            });
  }

  private long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
  }

  private long count(String name) {
    return events.stream().mapToLong(each -> each.count(name)).sum();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void L1_bucket_withLeasesOfSeveralNodes_keepsItsBound(int seed) {
    long start = micros();
    run(
        new Random(seed),
        () -> policy(bucket("hot", 200, 400).fail(FailMode.CLOSED).lease(200, TTL, 2, 20)));
    assertTrue(count("ALLOW LEASE") > 100, () -> count("ALLOW LEASE") + " from leases");
    assertTrue(count("ALLOW STORE") > 100, () -> count("ALLOW STORE") + " by the store");
    assertTrue(count("DENY STORE") > 10, () -> count("DENY STORE") + " denied");
    // An answer may be 25 ms old when it is told: ten units of refill.
    admitted.checkRate(200 + 40 + 10, 400, 1_000_000);
    // Over all time leases add nothing.
    assertTrue(total <= 200 + (micros() - start) * 400 / 1_000_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void L1_window_withLeasesOfSeveralNodes_keepsItsBound(int seed) {
    run(
        new Random(seed),
        () ->
            policy(
                TestRules.of("hot", new Limit.FixedWindow(300, 1_000_000))
                    .fail(FailMode.CLOSED)
                    .lease(200, TTL, 2, 20)));
    assertTrue(count("ALLOW LEASE") > 100);
    admitted.checkWithin(1_000_000, 2 * 300 + 60);
  }
}
