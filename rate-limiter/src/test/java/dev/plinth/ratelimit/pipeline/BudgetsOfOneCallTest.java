package dev.plinth.ratelimit.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.server.failure.Failure;
import dev.plinth.testkit.Allocations;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One call, and one flush, take the store from others for a bounded time. */
class BudgetsOfOneCallTest {
  private static CompiledPolicy policy(int rules) {
    return TestRules.policy(
        IntStream.range(0, rules)
            .mapToObj(i -> TestRules.of("r" + i, new Limit.FixedWindow(9, Limit.HOUR)).match("u"))
            .toArray(TestRules[]::new));
  }

  private static List<Check> checks(int many) {
    return IntStream.range(0, many).mapToObj(i -> TestRules.check(1, "u", "v" + i)).toList();
  }

  private static List<BudgetSet> sets(CompiledPolicy policy, List<Check> checks) {
    return checks.stream().map(check -> policy.match(check.descriptors())).toList();
  }

  private static void assertRefused(String field, CompletionStage<List<Decision>> decisions) {
    Throwable failure = DecisionFixture.failure(decisions.toCompletableFuture());
    assertEquals(
        field, assertInstanceOf(Failure.Invalid.class, failure).violations().get(0).field());
  }

  @Test
  void callOfMoreThanTwoThousandBudgets_isRefused_andChargesNothing() {
    DecisionFixture node = DecisionFixture.prompt();
    CompiledPolicy policy = policy(20);
    List<Check> most = checks(100);
    List<Check> tooMany = checks(101);
    assertRefused("items", node.limits.checkMany(policy, tooMany, true, Optional.empty()));
    assertRefused("items", node.limits.checkMany(policy, tooMany, false, Optional.empty()));
    assertRefused("descriptors", node.limits.checkDescriptors(policy, tooMany));
    assertEquals(List.of(), node.store.calls());
    for (boolean all : new boolean[] {true, false}) {
      node.limits
          .checkMany(policy, most, all, Optional.empty())
          .toCompletableFuture()
          .join()
          .forEach(decision -> assertEquals(Verdict.ALLOW, decision.verdict()));
    }
  }

  @Test
  void flush_isBoundedByItsBudgets_notOnlyByItsRequests() {
    DecisionFixture node = new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(1));
    CompiledPolicy policy = policy(FlushRound.FULL_AT_BUDGETS / 2);
    for (int i = 0; i < 6; i++) {
      node.check(policy, 1, "u", "v" + i);
    }
    node.store.answerAll();
    assertEquals(
        List.of(1, 2, 2, 1), node.store.calls().stream().map(call -> call.batch().size()).toList());
  }

  @Test
  void allOrNothing_isLinearInItsItems() {
    CompiledPolicy policy = policy(20);
    List<Check> many = checks(100);
    List<Check> few = many.subList(0, 25);
    List<BudgetSet> sets = sets(policy, many);
    long ofFew =
        Allocations.of(() -> new AllOrNothingChecks(policy, few, sets.subList(0, few.size())));
    long ofMany = Allocations.of(() -> new AllOrNothingChecks(policy, many, sets));
    assertTrue(ofMany < 6 * ofFew, () -> "25 items: " + ofFew + " bytes, 100: " + ofMany);
  }
}
