package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.descriptors;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.pipeline.LimitEvents.CircuitState;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FailModeTest {
  private final DecisionFixture node = new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(1));

  private static CompiledPolicy rule(FailMode mode) {
    return policy(bucket("tenant", 9, 1).match("tenant").fail(mode));
  }

  private CompletableFuture<Decision> check(CompiledPolicy policy) {
    return node.check(policy, 1, "tenant", "a");
  }

  @Test
  void check_thatTheStoreDoesNotAnswer_isDecidedByTheFailMode_whenItsTimeIsUp() {
    List<CompletableFuture<Decision>> all =
        List.of(
            check(rule(FailMode.OPEN)), check(rule(FailMode.CLOSED)), check(rule(FailMode.LOCAL)));
    node.advance(19);
    assertTrue(all.stream().noneMatch(CompletableFuture::isDone));
    node.advance(4);
    assertEquals(DecidedBy.OPEN, all.get(0).join().decidedBy());
    assertEquals(Verdict.ALLOW, all.get(0).join().verdict());
    assertEquals(1, all.get(0).join().granted());
    assertEquals(DecidedBy.CLOSED, all.get(1).join().decidedBy());
    assertEquals(Verdict.DENY, all.get(1).join().verdict());
    assertTrue(all.get(1).join().retry() > 0);
    assertEquals(DecidedBy.LOCAL_FALLBACK, all.get(2).join().decidedBy());
    assertEquals(8, all.get(2).join().limits().get(0).remaining());
  }

  @Test
  void check_thatWaitedInTheQueueTooLong_isNotSentAnyMore() {
    check(rule(FailMode.OPEN));
    CompletableFuture<Decision> queued = check(rule(FailMode.OPEN));
    node.advance(25);
    assertEquals(DecidedBy.OPEN, queued.join().decidedBy());
    node.store.answerAll();
    assertEquals(1, node.store.calls().size());
    assertEquals(1, node.events.count("late"));
  }

  @Test
  void answer_afterTheFallback_isOnlyACharge() {
    CompiledPolicy open = rule(FailMode.OPEN);
    CompletableFuture<Decision> late = check(open);
    node.advance(25);
    node.store.answer();
    assertEquals(DecidedBy.OPEN, late.join().decidedBy());
    CompletableFuture<Decision> next = check(open);
    node.store.answer();
    assertEquals(7, next.join().limits().get(0).remaining());
  }

  @Test
  void local_isTheLimitSharedByTheNodes_orTheSafeLimit() {
    node.nodes = 4;
    node.store.setUnavailable(true);
    CompiledPolicy shared = rule(FailMode.LOCAL);
    assertEquals(2, allowedOf(shared, 10));
    CompiledPolicy safe = policy(bucket("safe", 9, 9).fail(FailMode.LOCAL).safe(5));
    assertEquals(5, allowedOf(safe, 10));
    node.nodes = 1;
    node.advance(1000);
    assertEquals(0, allowedOf(shared, 10));
    node.advance(3000);
    assertEquals(1, allowedOf(shared, 10));
  }

  private long allowedOf(CompiledPolicy policy, int many) {
    return node.checks(policy, many, 1, "tenant", "a").stream()
        .filter(each -> each.join().verdict() == Verdict.ALLOW)
        .count();
  }

  @Test
  void modes_together_closedDeniesFirst_thenLocal() {
    node.store.setUnavailable(true);
    CompiledPolicy all =
        policy(
            bucket("open", 9, 1).fail(FailMode.OPEN),
            bucket("local", 1, 1).fail(FailMode.LOCAL),
            bucket("dark", 9, 1).shadow().fail(FailMode.CLOSED));
    assertEquals(DecidedBy.LOCAL_FALLBACK, check(all).join().decidedBy());
    Decision denied = check(all).join();
    assertEquals(Verdict.DENY, denied.verdict());
    assertEquals(1_000_000, denied.retry());
    assertEquals(
        List.of("open", "local", "dark"),
        denied.limits().stream().map(status -> status.rule().name()).toList());
    assertTrue(denied.limits().get(1).over());
    CompiledPolicy closed =
        policy(
            bucket("open", 9, 1).fail(FailMode.OPEN), bucket("shut", 9, 1).fail(FailMode.CLOSED));
    assertEquals(DecidedBy.CLOSED, check(closed).join().decidedBy());
  }

  @Test
  void breaker_opensAfterFailuresInARow_andTheStoreIsNotAsked() {
    CompiledPolicy open = rule(FailMode.OPEN);
    node.store.setUnavailable(true);
    for (int i = 0; i < 4; i++) {
      check(open);
    }
    node.store.setUnavailable(false);
    check(open);
    node.store.answer();
    node.store.setUnavailable(true);
    for (int i = 0; i < 4; i++) {
      check(open);
    }
    assertEquals(List.of(), node.events.breaker);
    check(open);
    assertEquals(List.of(CircuitState.OPEN), node.events.breaker);
    int calls = node.store.calls().size();
    assertEquals(DecidedBy.OPEN, check(open).join().decidedBy());
    assertEquals(calls, node.store.calls().size());
  }

  @Test
  void breaker_opensOnAnswersThatDoNotCome() {
    DecisionFixture many = new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(8));
    CompiledPolicy open = rule(FailMode.OPEN);
    for (int i = 0; i < 40; i++) {
      many.check(open, 1, "tenant", "t" + i);
    }
    many.advance(25);
    assertEquals(List.of(CircuitState.OPEN), many.events.breaker);
    assertTrue(many.check(open, 1, "tenant", "a").isDone());
  }

  @Test
  void breaker_letsOneCheckAtATimeTryTheStore_laterEachTime_untilItAnswers() {
    CompiledPolicy open = rule(FailMode.OPEN);
    node.store.setUnavailable(true);
    for (int i = 0; i < 5; i++) {
      check(open);
    }
    node.store.setUnavailable(false);
    int calls = node.store.calls().size();
    node.advance(99);
    check(open);
    assertEquals(calls, node.store.calls().size());
    node.advance(1);
    CompletableFuture<Decision> probe = check(open);
    CompletableFuture<Decision> other = check(open);
    assertEquals(calls + 1, node.store.calls().size());
    assertEquals(DecidedBy.OPEN, other.join().decidedBy());
    assertFalse(probe.isDone());
    node.advance(25);
    assertEquals(DecidedBy.OPEN, probe.join().decidedBy());
    assertEquals(
        List.of(CircuitState.OPEN, CircuitState.HALF_OPEN, CircuitState.OPEN), node.events.breaker);
    node.store.answer(); // too late to count
    node.advance(190);
    check(open);
    assertEquals(calls + 1, node.store.calls().size());
    node.advance(10);
    CompletableFuture<Decision> second = check(open);
    assertEquals(calls + 2, node.store.calls().size());
    node.store.answer();
    assertEquals(DecidedBy.STORE, second.join().decidedBy());
    assertEquals(CircuitState.CLOSED, node.events.breaker.get(4));
    check(open);
    assertEquals(calls + 3, node.store.calls().size());
  }

  @Test
  void local_isKeptFromOneFailureToTheNext_andForgottenAfterAWhile() {
    CompiledPolicy local = rule(FailMode.LOCAL);
    node.store.setUnavailable(true);
    assertEquals(9, allowedOf(local, 20));
    node.store.setUnavailable(false);
    node.store.prompt();
    node.advance(200);
    assertEquals(DecidedBy.STORE, check(local).join().decidedBy());
    node.store.setUnavailable(true);
    assertEquals(0, allowedOf(local, 4));
    node.store.setUnavailable(false);
    node.advance(61_000);
    assertEquals(DecidedBy.STORE, check(local).join().decidedBy());
    node.store.setUnavailable(true);
    assertEquals(9, allowedOf(local, 20));
  }

  @Test
  void otherCalls_failOrSayThatTheStoreIsAway() {
    CompiledPolicy local =
        policy(
            bucket("rate", 9, 1).lease(500, java.time.Duration.ofSeconds(1), 1, 10),
            TestRules.of("slots", new Limit.Concurrency(2)).match("tenant"));
    node.store.setUnavailable(true);
    assertInstanceOf(
        StoreUnavailable.class,
        DecisionFixture.failure(
            node.limits.settle(TestRules.DOMAIN, "t", 1, Optional.empty()).toCompletableFuture()));
    assertInstanceOf(
        StoreUnavailable.class,
        DecisionFixture.failure(
            node.limits.inspect(local, descriptors("tenant", "a")).toCompletableFuture()));
    assertInstanceOf(
        LeaseBudgetResult.NotLeasable.class,
        node.limits
            .lease(
                local,
                new LeaseBudgetResult.LeaseBudgetSpec(
                    List.of(), 5, Optional.empty(), Optional.empty()))
            .toCompletableFuture()
            .join());
    ReserveResult reserved =
        node.limits
            .reserve(local, new ReserveResult.ReserveSpec(List.of(), 2, 0, 1000, Optional.empty()))
            .toCompletableFuture()
            .join();
    assertEquals(DecidedBy.LOCAL_FALLBACK, reserved.decision().decidedBy());
    assertFalse(reserved.id().isEmpty());
  }

  @Test
  void slots_withoutTheStore_goByTheFailMode_andHaveNoToken() {
    node.nodes = 2;
    node.store.setUnavailable(true);
    AcquireSlotResult.AcquireSlotSpec wish =
        new AcquireSlotResult.AcquireSlotSpec(
            descriptors("tenant", "a"), 1_000_000, Optional.empty());
    CompiledPolicy local = policy(TestRules.of("slots", new Limit.Concurrency(3)).match("tenant"));
    AcquireSlotResult first = node.limits.acquireSlot(local, wish).toCompletableFuture().join();
    AcquireSlotResult second = node.limits.acquireSlot(local, wish).toCompletableFuture().join();
    assertTrue(first.acquired());
    assertEquals(0, first.token());
    assertFalse(second.acquired());
    assertEquals(1_000_000, second.retry());
    assertTrue(
        node.limits
            .renewSlot(TestRules.DOMAIN, first.slot(), 1_000_000)
            .toCompletableFuture()
            .join());
    assertInstanceOf(
        StoreUnavailable.class,
        DecisionFixture.failure(
            node.limits.renewSlot(TestRules.DOMAIN, "other", 1).toCompletableFuture()));
    CompiledPolicy closed =
        policy(
            TestRules.of("slots", new Limit.Concurrency(3)).match("tenant").fail(FailMode.CLOSED));
    AcquireSlotResult none = node.limits.acquireSlot(closed, wish).toCompletableFuture().join();
    assertFalse(none.acquired());
    assertEquals(DecidedBy.CLOSED, none.decidedBy());
    CompiledPolicy open =
        policy(TestRules.of("slots", new Limit.Concurrency(3)).match("tenant").fail(FailMode.OPEN));
    AcquireSlotResult any = node.limits.acquireSlot(open, wish).toCompletableFuture().join();
    assertTrue(any.acquired());
    assertEquals(DecidedBy.OPEN, any.decidedBy());
  }

  @Test
  void slot_withoutTheStore_withTheIdOfAnotherRequest_isRefused_andTakesNoPlace() {
    node.store.setUnavailable(true);
    CompiledPolicy one = policy(TestRules.of("slots", new Limit.Concurrency(1)).match("tenant"));
    assertTrue(acquire(one, "b", "holder").join().acquired());
    assertTrue(acquire(one, "a", "x").join().acquired());
    assertTrue(acquire(one, "a", "x").join().acquired(), "the same request again");
    assertInstanceOf(Failure.Invalid.class, DecisionFixture.failure(acquire(one, "b", "x")));
  }

  private CompletableFuture<AcquireSlotResult> acquire(
      CompiledPolicy policy, String tenant, String id) {
    AcquireSlotResult.AcquireSlotSpec spec =
        new AcquireSlotResult.AcquireSlotSpec(
            descriptors("tenant", tenant),
            60_000_000,
            Optional.of(new IdempotencyKey(id, "print of " + tenant)));
    return node.limits.acquireSlot(policy, spec).toCompletableFuture();
  }
}
