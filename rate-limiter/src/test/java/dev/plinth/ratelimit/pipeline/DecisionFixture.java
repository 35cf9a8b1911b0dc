package dev.plinth.ratelimit.pipeline;

import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Limits on a manual clock, over a store whose answers a test holds. */
final class DecisionFixture {
  final ManualClock clock;
  final DelayedAnswerStore store;
  final CountingLimitEvents events = new CountingLimitEvents();
  final RateLimits limits;
  int nodes = 1;

  DecisionFixture() {
    this(PipelineOptions.DEFAULTS);
  }

  DecisionFixture(PipelineOptions tuning) {
    this(tuning, new ManualClock());
  }

  private DecisionFixture(PipelineOptions tuning, ManualClock clock) {
    this(tuning, clock, new DelayedAnswerStore(clock));
  }

  /** One of several nodes over a store. */
  DecisionFixture(PipelineOptions tuning, ManualClock clock, DelayedAnswerStore store) {
    this.clock = clock;
    this.store = store;
    this.limits =
        new RateLimits(
            store,
            tuning,
            new NodeContext(
                ClockedMachine.of(clock), clock.scheduler(), () -> nodes, 1L << 26, events));
  }

  /** A store that answers at once. */
  static DecisionFixture prompt() {
    DecisionFixture deciding = new DecisionFixture();
    deciding.store.prompt();
    return deciding;
  }

  CompletableFuture<Decision> check(CompiledPolicy policy, long cost, String... pairs) {
    return limits.check(policy, TestRules.check(cost, pairs)).toCompletableFuture();
  }

  List<CompletableFuture<Decision>> checks(
      CompiledPolicy policy, int many, long cost, String... pairs) {
    List<CompletableFuture<Decision>> all = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      all.add(check(policy, cost, pairs));
    }
    return all;
  }

  void advance(long millis) {
    clock.advance(Duration.ofMillis(millis));
  }

  static Throwable failure(CompletableFuture<?> failed) {
    try {
      Object value = failed.getNow(null);
      throw new AssertionError("not failed, but " + value);
    } catch (CompletionException e) {
      return e.getCause();
    }
  }
}
