package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.testkit.AdmissionChecker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A store that answers some checks in time and others too late: one node, one budget. */
class SlowStoreTest {
  private static final long SECOND = 1_000_000;
  private static final int PERIODS = 600;

  private final DecisionFixture node = new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(1));
  private final AdmissionChecker admitted = new AdmissionChecker();
  private int byTheStore;
  private int local;

  static Stream<Limit> limits() {
    return Stream.of(
        new Limit.Bucket(10, SECOND / 10, 1),
        new Limit.Paced(SECOND / 10, 1),
        new Limit.FixedWindow(10, SECOND),
        new Limit.SlidingCounter(10, SECOND),
        new Limit.SlidingLog(10, SECOND));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void local_besideASlowStore_countsWhatTheStoreAdmitted(Limit limit) {
    CompiledPolicy policy = policy(TestRules.of("rate", limit).fail(FailMode.LOCAL));
    for (int i = 0; i < PERIODS; i++) {
      inTime(policy);
      late(policy);
      inTime(policy);
      node.advance(75);
    }
    assertTrue(byTheStore > 100 && local > 0, byTheStore + " by the store, " + local + " local");
    admitted.checkEach(
        micros ->
            AdmissionBounds.over(limit, 0, micros, 1)
                + AdmissionBounds.localFallback(limit, limit, 1, micros));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void local_afterDebt_isBackWithinOneRefill(Limit limit) {
    node.nodes = 10; // a node that gets all the traffic has a tenth of the limit for itself
    CompiledPolicy policy = policy(TestRules.of("rate", limit).fail(FailMode.LOCAL));
    for (int i = 0; i < PERIODS; i++) {
      inTime(policy);
      late(policy);
      node.advance(75);
    }
    node.store.setUnavailable(true);
    node.advance(21_000);
    assertEquals(Verdict.ALLOW, check(policy).join().verdict());
  }

  private CompletableFuture<Decision> check(CompiledPolicy policy) {
    return node.check(policy, 1, "tenant", "a");
  }

  private void inTime(CompiledPolicy policy) {
    CompletableFuture<Decision> check = check(policy);
    node.store.answerAll();
    count(check);
  }

  private void late(CompiledPolicy policy) {
    CompletableFuture<Decision> check = check(policy);
    node.advance(25);
    node.store.answerAll();
    count(check);
  }

  private void count(CompletableFuture<Decision> check) {
    Decision decision = check.join();
    if (decision.verdict() != Verdict.ALLOW) {
      return;
    }
    admitted.admitted(node.clock.millis() * 1000, 1);
    if (decision.decidedBy() == DecidedBy.STORE) {
      byTheStore++;
    } else {
      local++;
    }
  }

  @Test
  void local_besideASlowStore_countsLeasesToo() {
    CompiledPolicy policy =
        policy(
            TestRules.of("rate", new Limit.Bucket(1000, SECOND, 1))
                .fail(FailMode.LOCAL)
                .lease(500, Duration.ofSeconds(10), 1, 0));
    late(policy);
    int leased = 0;
    for (int i = 0; i < 3000; i++) {
      CompletableFuture<Decision> check = check(policy);
      node.store.answerAll();
      leased += check.join().decidedBy() == DecidedBy.LEASE ? 1 : 0;
    }
    assertTrue(leased > 100, leased + " of leases");
    node.store.setUnavailable(true);
    node.advance(1100); // denials that were remembered hold no more
    int more = 0;
    for (int i = 0; i < 3000; i++) {
      more += check(policy).join().verdict() == Verdict.ALLOW ? 1 : 0;
    }
    assertTrue(more <= 2, more + " after all of it was spent (expected: what was refilled)");
  }
}
