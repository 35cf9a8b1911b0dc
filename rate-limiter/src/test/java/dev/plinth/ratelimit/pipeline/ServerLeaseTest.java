package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Operation.Settle;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome.Taken;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ServerLeaseTest {
  private static final Duration TTL = Duration.ofMillis(500);

  private final DecisionFixture node = new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(1));
  private final CompiledPolicy policy = hot(1000, 1000);

  /** A share of a tenth, for two holders, above 100 checks a second. */
  private static CompiledPolicy hot(long burst, long perSecond) {
    return policy(bucket("hot", burst, perSecond).lease(100, TTL, 2, 100));
  }

  /** Twenty checks in one moment: more than 100 a second. */
  private void heat(CompiledPolicy hot) {
    node.checks(hot, 20, 1);
    node.store.answerAll();
  }

  private List<Settle> settles() {
    return node.store.calls().stream()
        .flatMap(call -> call.batch().stream())
        .map(BudgetRequest::operation)
        .filter(Settle.class::isInstance)
        .map(Settle.class::cast)
        .toList();
  }

  private List<Long> asks() {
    return node.store.calls().stream()
        .flatMap(call -> call.batch().stream())
        .map(BudgetRequest::operation)
        .filter(operation -> operation instanceof Take take && take.lease() > 0)
        .map(operation -> ((Take) operation).lease())
        .toList();
  }

  private long spend(CompiledPolicy hot, int many) {
    return node.checks(hot, many, 1).stream()
        .filter(CompletableFuture::isDone)
        .filter(each -> each.join().decidedBy() == DecidedBy.LEASE)
        .count();
  }

  @Test
  void lease_isAskedForWithTheFlush_ofBudgetsThatAreHot() {
    node.checks(policy, 5, 1);
    node.store.answerAll();
    assertEquals(List.of(), asks());
    node.advance(1000);
    heat(policy);
    // 20 in a tenth of a second are 100 in the ttl; half of the tenth of 1000 is one holder's.
    assertEquals(List.of(50L), asks());
    assertEquals(50, node.events.count("leased"));
    assertEquals(1, node.events.count("leases held"));
  }

  @Test
  void lease_isSpentFromMemory_neverMoreThanWasGranted() {
    heat(policy);
    int flushes = node.store.calls().size();
    CompletableFuture<Decision> first = node.check(policy, 1);
    assertEquals(DecidedBy.LEASE, first.join().decidedBy());
    assertEquals(Verdict.ALLOW, first.join().verdict());
    assertEquals(1, first.join().granted());
    assertEquals(930, first.join().limits().get(0).remaining());
    assertEquals(3, node.check(policy, 3).join().granted());
    assertEquals(flushes, node.store.calls().size());
    assertEquals(46, spend(policy, 60));
  }

  @Test
  void lease_isRenewedBeforeItIsSpent_andTheLastIsSettled() {
    heat(policy);
    assertEquals(37, spend(policy, 37));
    assertEquals(1, asks().size());
    assertEquals(1, spend(policy, 1));
    assertEquals(2, asks().size());
    assertEquals(5, spend(policy, 5));
    assertEquals(List.of(), settles());
    node.store.answerAll();
    assertEquals(List.of(43L), settles().stream().map(Settle::actual).toList());
    assertEquals(1, node.events.count("leases held"));
    assertEquals(7, node.events.count("returned"));
  }

  @Test
  void lease_isNotSpentAfterItsDeadline_countedFromBeforeItWasAskedFor() {
    node.checks(policy, 20, 1);
    node.store.answer();
    node.advance(10);
    node.store.answer(); // the lease, ten milliseconds on the way
    for (int i = 0; i < 12; i++) {
      assertEquals(1, spend(policy, 1));
      node.advance(40);
    }
    assertEquals(1, spend(policy, 1));
    node.clock.advance(Duration.ofNanos(9_999_999));
    assertEquals(1, spend(policy, 1));
    node.clock.advance(Duration.ofNanos(1));
    assertEquals(0, spend(policy, 1));
  }

  @Test
  void lease_thatIsIdle_isGivenBack() {
    heat(policy);
    spend(policy, 5);
    node.advance(50);
    assertEquals(0, settles().size());
    node.advance(50);
    assertEquals(List.of(5L), settles().stream().map(Settle::actual).toList());
    node.store.answerAll();
    assertEquals(0, node.events.count("leases held"));
    assertEquals(0, node.events.count("units held"));
    Decision after = answered(node.check(policy, 1));
    assertEquals(999, after.limits().get(0).remaining());
  }

  private Decision answered(CompletableFuture<Decision> decision) {
    node.store.answerAll();
    return decision.join();
  }

  @Test
  void lease_isGivenBackOnClose_andNoOtherIsAskedFor() {
    node.store.prompt();
    node.checks(policy, 40, 1);
    long asked = asks().size();
    long left = node.events.count("leased") - spend(policy, 3);
    node.limits.close();
    assertTrue(left > 0);
    assertEquals(0, node.events.count("leases held"));
    assertEquals(
        node.events.count("ALLOW LEASE"), settles().stream().mapToLong(Settle::actual).sum());
    node.checks(policy, 40, 1);
    assertEquals(asked, asks().size());
    assertEquals(DecidedBy.STORE, node.check(policy, 1).join().decidedBy());
  }

  @Test
  void lease_isNeverAskedFor_whereARuleHasNone_orServersMayNot() {
    CompiledPolicy mixed =
        policy(bucket("hot", 1000, 1000).lease(100, TTL, 2, 100), bucket("strict", 1000, 1000));
    heat(mixed);
    CompiledPolicy never = policy(bucket("clients", 1000, 1000).lease(100, TTL, 2, -1));
    heat(never);
    assertEquals(List.of(), asks());
  }

  @Test
  void lease_ofSeveralBudgets_keepsToTheStrictestTerms() {
    CompiledPolicy two =
        policy(
            bucket("wide", 10_000, 10_000).lease(500, Duration.ofSeconds(1), 1, 10),
            bucket("tight", 1000, 100).lease(100, TTL, 2, 100));
    heat(two);
    // 100 a second for half a second, for two.
    assertEquals(List.of(25L), asks());
  }

  @Test
  void lease_isSpentWhileTheStoreIsAway() {
    heat(policy);
    node.store.setUnavailable(true);
    for (int i = 0; i < 5; i++) {
      node.check(policy, 60);
    }
    assertEquals(DecidedBy.LEASE, node.check(policy, 1).join().decidedBy());
  }

  @Test
  void lease_thatCameTooLate_isNotSpent_andOneThatFailed_isAskedForAgain() {
    node.checks(policy, 20, 1);
    node.store.answer();
    node.advance(600);
    node.store.answer();
    assertEquals(0, spend(policy, 1));
    node.store.answerAll();
    node.advance(2000);
    node.store.answerAll();
    long before = asks().size();
    node.checks(policy, 20, 1);
    node.store.answer();
    node.store.lose();
    node.checks(policy, 20, 1);
    node.store.answerAll();
    assertTrue(asks().size() >= before + 2, () -> "asked " + asks().size());
  }

  @Test
  void lease_isChargedToTheStore_soThatNothingIsAdmittedTwice() {
    CompiledPolicy tight = hot(200, 40);
    node.store.prompt();
    long allowed = 0;
    for (int i = 0; i < 500; i++) {
      allowed += node.check(tight, 1).join().verdict() == Verdict.ALLOW ? 1 : 0;
    }
    assertTrue(node.events.count("leased") > 0);
    node.limits.close();
    for (int i = 0; i < 500; i++) {
      allowed += node.check(tight, 1).join().verdict() == Verdict.ALLOW ? 1 : 0;
    }
    assertEquals(200, allowed);
  }

  @Test
  void spend_isOnceForEachUnit_andNothingAfterTheEnd() {
    BudgetSet set = policy.match(List.of());
    ServerLease lease = new ServerLease(set, "t", 10, 100, List.of());
    assertTrue(lease.spend(4, 0));
    assertFalse(lease.spend(7, 0));
    assertFalse(lease.spend(1, 100));
    assertEquals(6, lease.end());
    assertFalse(lease.spend(1, 0));
    assertTrue(lease.end() < 0);
  }

  @Test
  void lease_saysWhatTheStoreSaw_ofShadowsToo() {
    CompiledPolicy dark =
        policy(bucket("hot", 1000, 1000).lease(100, TTL, 2, 100), bucket("dark", 5, 1).shadow());
    node.store.prompt();
    node.checks(dark, 40, 1);
    Taken leased =
        node.store.calls().stream()
            .flatMap(call -> call.outcomes().stream())
            .filter(outcome -> outcome instanceof Taken taken && taken.leased() > 0)
            .map(Taken.class::cast)
            .findFirst()
            .orElseThrow();
    Decision decision = node.check(dark, 1).join();
    assertEquals(DecidedBy.LEASE, decision.decidedBy());
    assertEquals(
        leased.standings().get(1).over() ? Verdict.ALLOW_SHADOW : Verdict.ALLOW,
        decision.verdict());
  }
}
