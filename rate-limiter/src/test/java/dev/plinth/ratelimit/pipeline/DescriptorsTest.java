package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Envoy's descriptors, where they are decided otherwise than checks. */
class DescriptorsTest {
  private static final long DAY = 24 * Limit.HOUR;

  private final DecisionFixture node = new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(1));
  private final CompiledPolicy two =
      policy(TestRules.of("two", new Limit.FixedWindow(2, DAY)).match("k"));

  private CompletableFuture<Decision> ask(long hits) {
    return node.limits
        .checkDescriptors(two, List.of(TestRules.check(hits, "k", "a")))
        .thenApply(decisions -> decisions.get(0))
        .toCompletableFuture();
  }

  private static LimitStatus status(CompletableFuture<Decision> decision) {
    return decision.join().limits().get(0);
  }

  @Test
  void equalOnes_areOneRequest_allAreCharged_andEachIsToldWhatItLeft() {
    CompletableFuture<Decision> look = ask(0); // keeps the lane busy
    List<CompletableFuture<Decision>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(ask(1));
    }
    node.store.answerAll();
    assertEquals(2, status(look).remaining());
    assertEquals(
        List.of(Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY, Verdict.DENY),
        all.stream().map(one -> one.join().verdict()).toList());
    assertEquals(
        List.of(1L, 0L, 0L, 0L), all.stream().map(one -> status(one).remaining()).toList());
    assertEquals(
        List.of(false, false, true, true), all.stream().map(one -> status(one).over()).toList());
    CompletableFuture<Decision> after = ask(0);
    node.store.answerAll();
    assertTrue(status(after).over(), "four were charged to a limit of two");
  }

  @Test
  void withoutTheStore_hitsAreChargedAboveTheLimit_too_andALookFindsIt() {
    node.store.setUnavailable(true);
    assertEquals(Verdict.ALLOW, ask(2).join().verdict());
    assertFalse(status(ask(0)).over(), "used = limit");
    assertEquals(Verdict.DENY, ask(1).join().verdict());
    CompletableFuture<Decision> look = ask(0);
    assertEquals(DecidedBy.LOCAL_FALLBACK, look.join().decidedBy());
    assertTrue(status(look).over());
  }

  @Test
  void debt_endsWithItsWindow() {
    node.store.prompt();
    assertEquals(Verdict.DENY, ask(1000).join().verdict());
    assertEquals(Verdict.DENY, ask(1).join().verdict());
    node.advance(DAY / 1000);
    assertEquals(Verdict.ALLOW, ask(2).join().verdict());
  }

  @Test
  void check_ofTheSameBudget_isNotChargedWhenDenied() {
    node.store.prompt();
    assertEquals(Verdict.ALLOW, ask(1).join().verdict());
    assertEquals(Verdict.DENY, node.check(two, 2, "k", "a").join().verdict());
    assertEquals(Verdict.ALLOW, node.check(two, 1, "k", "a").join().verdict());
  }

  private final CompiledPolicy exports =
      policy(TestRules.of("export", new Limit.FixedWindow(1, DAY)).match("path", "*/export"));

  private Verdict export(String path) {
    CompletableFuture<List<Decision>> decision =
        node.limits
            .checkDescriptors(exports, List.of(TestRules.check(1, "path", path)))
            .toCompletableFuture();
    node.store.answerAll();
    return decision.join().get(0).verdict();
  }

  @Test
  void longValue_isLimited_whateverShortOneWasSentBefore() {
    String path = "/" + "x".repeat(300) + "/export";
    String kept = Descriptor.shortened(path);
    assertEquals(257, kept.length(), "no value that is kept as it is has as many");
    export(kept);
    export(kept.substring(0, 256));
    assertEquals(Verdict.ALLOW, export(path));
    assertEquals(Verdict.DENY, export(path));
  }

  @Test
  void longValues_haveBudgetsOfTheirOwn() {
    String path = "/" + "x".repeat(300);
    assertEquals(Verdict.ALLOW, export(path + "1/export"));
    assertEquals(Verdict.ALLOW, export(path + "2/export"));
    assertEquals(Verdict.ALLOW, export(Descriptor.shortened(path + "1/export") + "/export"));
    assertEquals(Verdict.DENY, export(path + "1/export"));
  }
}
