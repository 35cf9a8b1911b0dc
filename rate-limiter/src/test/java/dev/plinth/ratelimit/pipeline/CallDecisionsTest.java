package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.policyOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A call of two checks, one of them on a budget that has seen a later policy. */
class CallDecisionsTest {
  private static final TestRules SAME =
      TestRules.of("a", new Limit.FixedWindow(9, Limit.HOUR)).match("a");

  private final DecisionFixture node = DecisionFixture.prompt();
  private final CompiledPolicy older =
      policyOf(1, SAME, TestRules.of("b", new Limit.FixedWindow(9, Limit.HOUR)).match("b"));
  private final CompiledPolicy newer =
      policyOf(
          2, SAME, TestRules.of("b", new Limit.FixedWindow(8, Limit.HOUR)).match("b").version(2));
  private final List<Check> checks =
      List.of(TestRules.check(1, "a", "x"), TestRules.check(1, "b", "y"));

  /** As the decider does: with the policy it knows, then with the one that a budget has seen. */
  private void decideTwice(Function<CompiledPolicy, CompletionStage<List<Decision>>> call) {
    node.check(newer, 1, "b", "y").join();
    CompletableFuture<List<Decision>> stale = call.apply(older).toCompletableFuture();
    assertInstanceOf(StalePolicyException.class, DecisionFixture.failure(stale));
    List<Decision> decisions = call.apply(newer).toCompletableFuture().join();
    assertEquals(List.of(8L, 6L), decisions.stream().map(CallDecisionsTest::left).toList());
    assertEquals(7, left(node.check(newer, 1, "a", "x").join()), "charged once before");
  }

  private static long left(Decision decision) {
    return decision.limits().get(0).remaining();
  }

  @Test
  void checkMany_thatWasStale_chargesTheOthersOnce() {
    CallDecisions decided = new CallDecisions();
    decideTwice(policy -> node.limits.checkMany(policy, checks, false, Optional.empty(), decided));
  }

  @Test
  void checkMany_withARequestId_thatWasStale_chargesTheOthersOnce() {
    Optional<IdempotencyKey> once = Optional.of(new IdempotencyKey("id", "content"));
    CallDecisions decided = new CallDecisions();
    decideTwice(policy -> node.limits.checkMany(policy, checks, false, once, decided));
  }

  @Test
  void descriptors_ofWhichOneWasStale_chargeTheOthersOnce() {
    CallDecisions decided = new CallDecisions();
    decideTwice(policy -> node.limits.checkDescriptors(policy, checks, decided));
  }
}
