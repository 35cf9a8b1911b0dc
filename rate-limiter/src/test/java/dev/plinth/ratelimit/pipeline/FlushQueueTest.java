package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Operation.Take;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FlushQueueTest {
  private static final PipelineOptions ONE_QUEUE = PipelineOptions.DEFAULTS.withQueues(1);

  private final DecisionFixture node = new DecisionFixture(ONE_QUEUE);
  private final CompiledPolicy policy = policy(bucket("tenant", 10, 1).match("tenant"));

  private static int count(BudgetRequest request) {
    return ((Take) request.operation()).count();
  }

  @Test
  void check_whileAFlushIsUnderWay_waitsForTheNext_whichTakesThemAll() {
    node.check(policy, 1, "tenant", "a");
    List<CompletableFuture<Decision>> later = node.checks(policy, 5, 1, "tenant", "a");
    node.check(policy, 1, "tenant", "b");
    assertEquals(1, node.store.calls().size());
    assertEquals(1, count(node.store.call(0).batch().get(0)));
    node.store.answer();
    assertEquals(2, node.store.calls().size());
    assertEquals(2, node.store.call(1).batch().size());
    assertEquals(5, count(node.store.call(1).batch().get(0)));
    assertFalse(later.get(0).isDone());
    node.store.answer();
    assertTrue(later.get(4).isDone());
    assertEquals(5, node.events.count("merged"));
    assertEquals(3, node.events.count("requests"));
    assertEquals(7, node.events.count("checks"));
  }

  @Test
  void merged_areDealtOutAsIfOneAfterTheOther() {
    node.check(policy, 4, "tenant", "a");
    List<CompletableFuture<Decision>> later = node.checks(policy, 3, 3, "tenant", "a");
    node.store.answerAll();
    assertEquals(
        List.of(Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY),
        later.stream().map(each -> each.join().verdict()).toList());
    assertEquals(
        List.of(3L, 0L, 0L),
        later.stream().map(each -> each.join().limits().get(0).remaining()).toList());
    Decision first = later.get(0).join();
    assertEquals(3, first.granted());
    assertEquals(0, first.retry());
    assertEquals(7_000_000, first.limits().get(0).reset());
    assertFalse(first.limits().get(0).over());
    assertFalse(first.limits().get(0).near());
    assertTrue(later.get(1).join().limits().get(0).near());
    Decision denied = later.get(2).join();
    assertEquals(0, denied.granted());
    assertEquals(3_000_000, denied.retry());
    assertTrue(denied.limits().get(0).over());
    assertEquals(DecidedBy.STORE, denied.decidedBy());
  }

  @Test
  void merged_areOnlyThoseOfTheSameBudgetsAndCost() {
    node.check(policy, 1, "tenant", "busy");
    node.check(policy, 1, "tenant", "a");
    node.check(policy, 2, "tenant", "a");
    node.check(policy, 1, "tenant", "b");
    node.check(policy, 1, "tenant", "a", "user", "x");
    node.store.answer();
    assertEquals(
        List.of(2, 1, 1), node.store.call(1).batch().stream().map(FlushQueueTest::count).toList());
  }

  @Test
  void merged_areNeverThoseWithAShadow_soThatEachGetsItsOwnVerdict() {
    CompiledPolicy dark = policy(bucket("live", 10, 1), TestRules.bucket("dark", 2, 1).shadow());
    node.check(dark, 1);
    List<CompletableFuture<Decision>> later = node.checks(dark, 2, 1);
    node.store.answerAll();
    assertEquals(Verdict.ALLOW, later.get(0).join().verdict());
    assertEquals(Verdict.ALLOW_SHADOW, later.get(1).join().verdict());
    assertTrue(later.get(1).join().limits().get(1).over());
    assertFalse(later.get(1).join().limits().get(0).over());
  }

  @Test
  void check_ofAPromptStore_isDecidedBeforeItReturns() {
    DecisionFixture prompt = DecisionFixture.prompt();
    CompletableFuture<Decision> decided = prompt.check(policy, 1, "tenant", "a");
    assertTrue(decided.isDone());
    assertEquals(9, decided.join().limits().get(0).remaining());
  }

  @Test
  void check_fromWithinAnAnswer_isDecidedToo() {
    DecisionFixture prompt = DecisionFixture.prompt();
    CompletableFuture<Decision> second =
        prompt
            .check(policy, 1, "tenant", "a")
            .thenCompose(first -> prompt.check(policy, 1, "tenant", "a"));
    assertEquals(8, second.join().limits().get(0).remaining());
  }

  @Test
  void flush_isBounded_andTheRestGoesNext() {
    DecisionFixture small =
        new DecisionFixture(
            new PipelineOptions(
                Duration.ofMillis(20),
                1,
                2,
                5,
                Duration.ofMillis(100),
                Duration.ofSeconds(5),
                Duration.ofSeconds(1)));
    for (int i = 0; i < 6; i++) {
      small.check(policy, 1, "tenant", "t" + i);
    }
    small.store.answerAll();
    assertEquals(
        List.of(1, 2, 2, 1), small.store.calls().stream().map(c -> c.batch().size()).toList());
  }

  @Test
  void flush_ofTwoDomains_isOneForEach_andTheNextWaitsForBoth() {
    CompiledPolicy other =
        CompiledPolicy.of(
            new Policy("other", 1, List.of(bucket("tenant", 10, 1).rule()), Instant.EPOCH));
    node.check(policy, 1, "tenant", "a");
    node.check(policy, 1, "tenant", "a");
    node.check(other, 1);
    node.store.answer();
    assertEquals(3, node.store.calls().size());
    node.check(policy, 1, "tenant", "a");
    node.store.answer();
    assertEquals(3, node.store.calls().size());
    node.store.answer();
    assertEquals(4, node.store.calls().size());
  }

  @Test
  void lanes_doNotWaitForEachOther() {
    DecisionFixture many = new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(8));
    for (int i = 0; i < 50; i++) {
      many.check(policy, 1, "tenant", "t" + i);
    }
    assertEquals(8, many.store.calls().size());
  }

  @Test
  void flush_thatIsNeverAnswered_isGivenUp_andTheLaneGoesOn() {
    node.check(policy, 1, "tenant", "a");
    node.advance(990);
    CompletableFuture<Decision> next = node.check(policy, 1, "tenant", "a");
    assertEquals(1, node.store.calls().size());
    node.advance(15);
    assertEquals(2, node.store.calls().size());
    node.store.answer();
    node.store.answer();
    assertEquals(DecidedBy.STORE, next.join().decidedBy());
    assertEquals(9, next.join().limits().get(0).remaining());
  }

  @Test
  void answer_thatIsNotUnderstood_failsOnlyItsOwn() {
    CompletableFuture<Decision> first = node.check(policy, 1, "tenant", "a");
    DelayedAnswerStore.Call call = node.store.call(0);
    call.answer().complete(List.of());
    assertEquals(DecidedBy.LOCAL_FALLBACK, first.join().decidedBy());
    CompletableFuture<Decision> next = node.check(policy, 1, "tenant", "b");
    assertEquals(2, node.store.calls().size());
    node.store.call(1).answer().complete(node.store.call(1).outcomes());
    assertEquals(DecidedBy.STORE, next.join().decidedBy());
  }
}
