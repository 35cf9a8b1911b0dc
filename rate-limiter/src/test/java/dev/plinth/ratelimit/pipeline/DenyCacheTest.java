package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.descriptors;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static dev.plinth.ratelimit.pipeline.TestRules.policyOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DenyCacheTest {
  private final DecisionFixture node = DecisionFixture.prompt();
  private final CompiledPolicy policy = policy(bucket("tenant", 10, 10).match("tenant"));

  private Decision check(long cost) {
    return node.check(policy, cost, "tenant", "a").join();
  }

  private void micros(long by) {
    node.clock.advance(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(by)));
  }

  @Test
  void L10_deniesUntilTheRetryAndNotAMomentLonger() {
    check(10);
    assertEquals(100_000, check(1).retry());
    int flushes = node.store.calls().size();
    micros(99_999);
    Decision denied = check(1);
    assertEquals(DecidedBy.DENY_CACHE, denied.decidedBy());
    assertEquals(1, denied.retry());
    assertEquals(900_001, denied.limits().get(0).reset());
    assertTrue(denied.limits().get(0).over());
    assertEquals(flushes, node.store.calls().size());
    micros(1);
    Decision allowed = check(1);
    assertEquals(Verdict.ALLOW, allowed.verdict());
    assertEquals(DecidedBy.STORE, allowed.decidedBy());
  }

  @Test
  void L10_countsFromBeforeTheRequestWasSent() {
    check(10);
    node.store.hold();
    var slow = node.check(policy, 1, "tenant", "a");
    micros(10_000);
    node.store.answer();
    assertEquals(100_000, slow.join().retry());
    node.store.prompt();
    micros(89_999);
    assertEquals(DecidedBy.DENY_CACHE, check(1).decidedBy());
    micros(1);
    assertEquals(Verdict.ALLOW, check(1).verdict());
  }

  @Test
  void L10_neverGrants_andHoldsOnlyForAsMuchOrMore() {
    check(8);
    assertEquals(Verdict.DENY, check(5).verdict());
    assertEquals(DecidedBy.DENY_CACHE, check(5).decidedBy());
    assertEquals(DecidedBy.DENY_CACHE, check(6).decidedBy());
    assertEquals(Verdict.ALLOW, check(2).verdict());
    assertEquals(DecidedBy.STORE, check(4).decidedBy());
    assertEquals(DecidedBy.DENY_CACHE, check(4).decidedBy());
  }

  @Test
  void denial_ofMoreThanThereEverIs_saysNever_andIsAskedAgainAfterASecond() {
    assertEquals(Outcome.NEVER, check(11).retry());
    node.advance(999);
    assertEquals(DecidedBy.DENY_CACHE, check(11).decidedBy());
    assertEquals(Outcome.NEVER, check(12).retry());
    node.advance(1);
    assertEquals(DecidedBy.STORE, check(11).decidedBy());
  }

  @Test
  void denial_isDroppedByAReset() {
    check(10);
    check(1);
    node.limits.reset(policy, descriptors("tenant", "a"), Optional.empty(), Optional.empty());
    assertEquals(Verdict.ALLOW, check(1).verdict());
  }

  @Test
  void denial_isDroppedByWhatIsGivenBack() {
    ReserveResult.ReserveSpec wish =
        new ReserveResult.ReserveSpec(
            descriptors("tenant", "a"), 10, 0, 60_000_000, Optional.empty());
    ReserveResult reservation = node.limits.reserve(policy, wish).toCompletableFuture().join();
    check(1);
    assertEquals(DecidedBy.DENY_CACHE, check(1).decidedBy());
    node.limits.settle(TestRules.DOMAIN, reservation.id(), 0, Optional.empty());
    assertEquals(Verdict.ALLOW, check(1).verdict());
  }

  @Test
  void denial_thatWasAskedForBeforeAReset_isNotBelievedAfterIt() {
    CompiledPolicy both =
        policy(
            bucket("tenant", 10, 10).match("tenant"),
            bucket("user", 100, 10).match("tenant").match("user"));
    node.check(both, 10, "tenant", "a", "user", "x");
    node.store.hold();
    var before = node.check(both, 1, "tenant", "a", "user", "x");
    node.limits.reset(both, descriptors("tenant", "a"), Optional.empty(), Optional.empty());
    DelayedAnswerStore.Call asked = node.store.call(1);
    DelayedAnswerStore.Call reset = node.store.call(2);
    reset.answer().complete(reset.outcomes());
    asked.answer().complete(asked.outcomes());
    assertEquals(Verdict.DENY, before.join().verdict());
    node.check(both, 1, "tenant", "a", "user", "x");
    assertEquals(4, node.store.calls().size());
  }

  @Test
  void denial_isOfItsPolicysVersion() {
    check(10);
    check(1);
    CompiledPolicy next = policyOf(2, bucket("tenant", 20, 10).match("tenant").version(2));
    assertEquals(DecidedBy.STORE, node.check(next, 1, "tenant", "a").join().decidedBy());
  }

  @Test
  void check_thatIsSentAgain_getsItsFirstVerdict_notADenialFromMemory() {
    Check once =
        new Check(
            descriptors("tenant", "a"),
            10,
            false,
            Optional.of(new BudgetRequest.IdempotencyKey("id", "print")));
    node.limits.check(policy, once);
    check(1);
    check(1);
    Decision again = node.limits.check(policy, once).toCompletableFuture().join();
    assertEquals(Verdict.ALLOW, again.verdict());
  }

  @Test
  void partial_isDeniedFromMemoryOnlyWhereNothingIsLeft() {
    check(8);
    check(5);
    Check part = new Check(descriptors("tenant", "a"), 5, true, Optional.empty());
    Decision some = node.limits.check(policy, part).toCompletableFuture().join();
    assertEquals(2, some.granted());
    check(1);
    assertEquals(
        DecidedBy.DENY_CACHE,
        node.limits.check(policy, part).toCompletableFuture().join().decidedBy());
  }
}
