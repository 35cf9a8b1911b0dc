package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A request that the store cannot decide, though it is there: it answers that one alone. */
class UndecidedTest {
  private final ManualClock clock = new ManualClock();
  private final CountingLimitEvents events = new CountingLimitEvents();
  private final RateLimits limits =
      new RateLimits(
          new Damaged(new DelayedAnswerStore(clock).prompt()),
          PipelineOptions.DEFAULTS.withQueues(1),
          new NodeContext(ClockedMachine.of(clock), clock.scheduler(), () -> 1, 1L << 26, events));
  private final CompiledPolicy closed =
      policy(bucket("tenant", 9, 1).match("tenant").fail(FailMode.CLOSED));

  /** Cannot decide what is of a budget with "bad" in its key, and throws on "bug". */
  private static final class Damaged extends ForwardingStore {
    Damaged(BudgetStore store) {
      super(store);
    }

    @Override
    public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
      if (batch.stream().anyMatch(request -> request.toString().contains("bug"))) {
        throw new IllegalStateException("a bug");
      }
      List<Outcome> outcomes = new ArrayList<>();
      for (BudgetRequest request : batch) {
        outcomes.add(
            request.toString().contains("bad")
                ? new Outcome.Undecided("CORRUPT", false)
                : super.apply(domain, List.of(request)).toCompletableFuture().join().get(0));
      }
      return CompletableFuture.completedStage(outcomes);
    }
  }

  private Decision check(String tenant) {
    return limits.check(closed, TestRules.check(1, "tenant", tenant)).toCompletableFuture().join();
  }

  @Test
  void undecided_isAnsweredByTheFailModesOfItsRules_andNobodyElseIs() {
    for (int i = 0; i < 20; i++) {
      assertEquals(DecidedBy.CLOSED, check("bad").decidedBy());
    }
    assertEquals(List.of(), events.breaker, "the store was there all the time");
    assertEquals(20, events.count("undecided"));
    assertEquals(DecidedBy.STORE, check("good").decidedBy());
    assertEquals(Verdict.ALLOW, check("good").verdict());
  }

  @Test
  void bug_thatIsNoFailureOfTheStore_sendsNobodyElseToTheFailModes() {
    for (int i = 0; i < 20; i++) {
      assertEquals(DecidedBy.CLOSED, check("bug").decidedBy());
    }
    assertEquals(List.of(), events.breaker);
    assertEquals(DecidedBy.STORE, check("good").decidedBy());
  }

  @Test
  void undecided_ofACallThatHasNoFailMode_isToldAsNotApplied() {
    Throwable failure =
        DecisionFixture.failure(
            limits
                .reset(
                    closed,
                    TestRules.descriptors("tenant", "bad"),
                    Optional.empty(),
                    Optional.empty())
                .toCompletableFuture());
    assertEquals(false, assertInstanceOf(StoreUnavailable.class, failure).mayHaveApplied());
  }
}
