package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.check;
import static dev.plinth.ratelimit.pipeline.TestRules.descriptors;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static dev.plinth.ratelimit.pipeline.TestRules.policyOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.pipeline.Inspection.KeyState;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.Denied;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.Leased;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.NotLeasable;
import dev.plinth.ratelimit.pipeline.LeaseBudgetResult.UnusedBudget;
import dev.plinth.ratelimit.pipeline.ReserveResult.Settlement;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class RateLimitsTest {
  private static final Optional<IdempotencyKey> ANY = Optional.empty();

  private final DecisionFixture node = DecisionFixture.prompt();
  private final RateLimits limits = node.limits;
  private final CompiledPolicy policy =
      policy(
          bucket("tenant", 10, 1).match("tenant"),
          bucket("user", 4, 1).match("tenant").match("user"));

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().getNow(null);
  }

  private static Optional<IdempotencyKey> once(String id) {
    return Optional.of(new IdempotencyKey(id, "print"));
  }

  @Test
  void check_withoutARule_isAllowed() {
    Decision decision = now(limits.check(policy, check(3, "other", "x")));
    assertEquals(DecidedBy.NO_RULE, decision.decidedBy());
    assertEquals(Verdict.ALLOW, decision.verdict());
    assertEquals(3, decision.granted());
    assertEquals(0, node.store.calls().size());
  }

  @Test
  void check_isDecidedByAllRulesTogether_andSaysWhichHadNoRoom() {
    now(limits.check(policy, check(4, "tenant", "a", "user", "x")));
    Decision denied = now(limits.check(policy, check(1, "tenant", "a", "user", "x")));
    assertEquals(Verdict.DENY, denied.verdict());
    assertEquals(List.of(false, true), denied.limits().stream().map(each -> each.over()).toList());
    assertEquals(6, denied.limits().get(0).remaining());
    assertEquals(1, denied.policyVersion());
    assertEquals(1, node.events.count("DENY STORE"));
    assertEquals(1, node.events.count("near user"));
  }

  @Test
  void check_thatIsSentAgain_isChargedOnce_andAnotherWithItsIdIsRefused() {
    Check twice = new Check(descriptors("tenant", "a"), 2, false, once("id"));
    now(limits.check(policy, twice));
    assertEquals(8, now(limits.check(policy, twice)).limits().get(0).remaining());
    Check other =
        new Check(
            descriptors("tenant", "a"), 3, false, Optional.of(new IdempotencyKey("id", "other")));
    assertInstanceOf(
        Failure.Invalid.class,
        DecisionFixture.failure(limits.check(policy, other).toCompletableFuture()));
  }

  @Test
  void L6_check_withAnOlderPolicy_isRefusedWithTheVersionToFetch() {
    CompiledPolicy newer = policyOf(7, bucket("tenant", 20, 1).match("tenant").version(7));
    node.check(newer, 1, "tenant", "a");
    StalePolicyException stale =
        assertInstanceOf(
            StalePolicyException.class,
            DecisionFixture.failure(node.check(policy, 1, "tenant", "a")));
    assertEquals(7, stale.version());
    Check alone = new Check(descriptors("tenant", "a"), 1, true, ANY);
    assertInstanceOf(
        StalePolicyException.class,
        DecisionFixture.failure(limits.check(policy, alone).toCompletableFuture()));
    assertEquals(7, now(limits.check(newer, alone)).policyVersion());
  }

  @Test
  void checkMany_each_isForItself_andOnceForAll() {
    List<Check> many =
        List.of(
            check(4, "tenant", "a", "user", "x"),
            check(1, "tenant", "a", "user", "x"),
            check(1, "tenant", "a", "user", "y"));
    List<Verdict> expected = List.of(Verdict.ALLOW, Verdict.DENY, Verdict.ALLOW);
    assertEquals(expected, verdicts(now(limits.checkMany(policy, many, false, once("all")))));
    assertEquals(expected, verdicts(now(limits.checkMany(policy, many, false, once("all")))));
    assertEquals(5, remaining("tenant", "a"));
  }

  private static List<Verdict> verdicts(List<Decision> decisions) {
    return decisions.stream().map(Decision::verdict).toList();
  }

  private long remaining(String... pairs) {
    return now(limits.inspect(policy, descriptors(pairs))).keys().get(0).status().remaining();
  }

  @Test
  void checkMany_allOrNothing_sumsWhatIsOfTheSameBudget() {
    List<Check> tooMany =
        List.of(
            check(6, "tenant", "a"),
            check(1, "other", "x"),
            check(4, "tenant", "a", "user", "x"),
            check(1, "tenant", "a", "user", "y"));
    List<Decision> denied = now(limits.checkMany(policy, tooMany, true, ANY));
    assertEquals(List.of(Verdict.DENY, Verdict.DENY, Verdict.DENY, Verdict.DENY), verdicts(denied));
    assertEquals(List.of(1, 0, 2, 2), denied.stream().map(each -> each.limits().size()).toList());
    assertTrue(denied.get(0).limits().get(0).over());
    assertEquals(Outcome.NEVER, denied.get(0).retry());
    assertEquals(10, remaining("tenant", "a"));
    List<Decision> allowed = now(limits.checkMany(policy, tooMany.subList(0, 3), true, ANY));
    assertEquals(List.of(Verdict.ALLOW, Verdict.ALLOW, Verdict.ALLOW), verdicts(allowed));
    assertEquals(List.of(6L, 1L, 4L), allowed.stream().map(Decision::granted).toList());
    assertEquals(0, allowed.get(0).limits().get(0).remaining());
    assertEquals(0, remaining("tenant", "a"));
  }

  @Test
  void checkMany_allOrNothing_withoutAnyRule_isAllowed() {
    List<Decision> free =
        now(limits.checkMany(policy, List.of(check(1, "x", "y"), check(2, "x", "y")), true, ANY));
    assertEquals(List.of(1L, 2L), free.stream().map(Decision::granted).toList());
  }

  @Test
  void reserve_saysHowLongToWait_andIsSettledOnce() {
    ReserveResult.ReserveSpec wish =
        new ReserveResult.ReserveSpec(
            descriptors("tenant", "a"), 8, 10_000_000, 60_000_000, Optional.empty());
    assertEquals(0, now(limits.reserve(policy, wish)).delay());
    ReserveResult second = now(limits.reserve(policy, wish));
    assertEquals(6_000_000, second.delay());
    assertEquals(Verdict.ALLOW, second.decision().verdict());
    ReserveResult third = now(limits.reserve(policy, wish));
    assertEquals("", third.id());
    assertEquals(Verdict.DENY, third.decision().verdict());
    assertEquals(
        new Settlement(true, 5), now(limits.settle(TestRules.DOMAIN, second.id(), 3, ANY)));
    assertEquals(
        new Settlement(false, 0), now(limits.settle(TestRules.DOMAIN, second.id(), 3, ANY)));
  }

  @Test
  void reserve_sentAgain_isTheSameReservation() {
    ReserveResult.ReserveSpec wish =
        new ReserveResult.ReserveSpec(descriptors("tenant", "a"), 2, 0, 60_000_000, once("r1"));
    ReserveResult first = now(limits.reserve(policy, wish));
    assertEquals(first.id(), now(limits.reserve(policy, wish)).id());
    assertEquals(8, remaining("tenant", "a"));
    assertNotEquals(
        first.id(),
        now(limits.reserve(
                policy,
                new ReserveResult.ReserveSpec(
                    descriptors("tenant", "a"), 2, 0, 60_000_000, once("r2"))))
            .id());
  }

  @Test
  void lease_isCharged_givenBackOnce_orInTheSameStepAsTheNext() {
    CompiledPolicy lending =
        policy(bucket("api", 1000, 1000).lease(100, Duration.ofSeconds(1), 1, -1));
    Leased first = leased(lending, 80, Optional.empty());
    assertEquals(80, first.granted());
    assertEquals(1_000_000, first.validFor());
    int calls = node.store.calls().size();
    Leased second = leased(lending, 500, Optional.of(new UnusedBudget(first.id(), 30)));
    // All that may be out: the first was given back before.
    assertEquals(100, second.granted());
    assertEquals(calls + 1, node.store.calls().size());
    assertEquals(2, node.store.call(calls).batch().size());
    assertEquals(
        new Settlement(false, 0),
        now(limits.returnBudget(TestRules.DOMAIN, new UnusedBudget(first.id(), 30), ANY)));
    assertEquals(
        new Settlement(true, 100),
        now(limits.returnBudget(TestRules.DOMAIN, new UnusedBudget(second.id(), 100), ANY)));
    assertEquals(
        new Settlement(false, 0),
        now(limits.returnBudget(TestRules.DOMAIN, new UnusedBudget("x", 1), ANY)));
    assertEquals(950, now(limits.inspect(lending, List.of())).keys().get(0).status().remaining());
  }

  private Leased leased(CompiledPolicy lending, long want, Optional<UnusedBudget> earlier) {
    return assertInstanceOf(
        Leased.class,
        now(
            limits.lease(
                lending, new LeaseBudgetResult.LeaseBudgetSpec(List.of(), want, earlier, ANY))));
  }

  @Test
  void lease_whoseIdWasMadeUp_isNotFound_andChangesNothing() {
    CompiledPolicy lending =
        policy(bucket("api", 1000, 1).lease(500, Duration.ofSeconds(60), 1, -1));
    node.check(lending, 500);
    Leased lease = leased(lending, 50, Optional.empty());
    for (String made : List.of(".900", "." + Long.MAX_VALUE, ".-1", "0")) {
      assertEquals(
          new Settlement(false, 0),
          now(limits.returnBudget(TestRules.DOMAIN, new UnusedBudget(lease.id() + made, 0), ANY)));
    }
    assertEquals(450, now(limits.inspect(lending, List.of())).keys().get(0).status().remaining());
    now(limits.returnBudget(TestRules.DOMAIN, new UnusedBudget(lease.id(), Limit.MAX_COST), ANY));
    assertEquals(500, now(limits.inspect(lending, List.of())).keys().get(0).status().remaining());
  }

  @Test
  void lease_isNotToBeHad_whereARuleLendsNothing_orNothingIsLeft() {
    LeaseBudgetResult.LeaseBudgetSpec wish =
        new LeaseBudgetResult.LeaseBudgetSpec(descriptors("tenant", "a"), 5, Optional.empty(), ANY);
    assertInstanceOf(NotLeasable.class, now(limits.lease(policy, wish)));
    CompiledPolicy lending =
        policy(bucket("api", 100, 10).lease(500, Duration.ofSeconds(1), 1, -1));
    assertInstanceOf(
        NotLeasable.class,
        now(
            limits.lease(
                policy(bucket("api", 1, 10).lease(500, Duration.ofSeconds(1), 1, -1)), wish)));
    node.check(lending, 100);
    Denied none = assertInstanceOf(Denied.class, now(limits.lease(lending, wish)));
    assertTrue(none.retry() > 0);
  }

  @Test
  void slots_areGivenWithRisingTokens_renewedAndReleased() {
    CompiledPolicy two = policy(TestRules.of("running", new Limit.Concurrency(2)).match("tenant"));
    AcquireSlotResult.AcquireSlotSpec wish =
        new AcquireSlotResult.AcquireSlotSpec(descriptors("tenant", "a"), 30_000_000, ANY);
    AcquireSlotResult first = now(limits.acquireSlot(two, wish));
    AcquireSlotResult second = now(limits.acquireSlot(two, wish));
    AcquireSlotResult third = now(limits.acquireSlot(two, wish));
    assertTrue(second.token() > first.token());
    assertEquals(30_000_000, first.validFor());
    assertFalse(third.acquired());
    assertEquals(30_000_000, third.retry());
    assertEquals(0, third.limits().get(0).remaining());
    assertEquals(2, now(limits.inspect(two, descriptors("tenant", "a"))).keys().get(0).slots());
    assertTrue(now(limits.renewSlot(TestRules.DOMAIN, first.slot(), 60_000_000)));
    assertTrue(now(limits.releaseSlot(TestRules.DOMAIN, first.slot(), ANY)));
    assertFalse(now(limits.releaseSlot(TestRules.DOMAIN, first.slot(), ANY)));
    assertFalse(now(limits.renewSlot(TestRules.DOMAIN, first.slot(), 1)));
    assertTrue(now(limits.acquireSlot(two, wish)).acquired());
    AcquireSlotResult free =
        now(
            limits.acquireSlot(
                two, new AcquireSlotResult.AcquireSlotSpec(List.of(), 1_000_000, ANY)));
    assertEquals(DecidedBy.NO_RULE, free.decidedBy());
    assertTrue(free.acquired());
  }

  @Test
  void inspect_tellsKeyVersionAndBound_andChangesNothing() {
    CompiledPolicy lending =
        policyOf(
            3,
            bucket("tenant", 10, 5)
                .match("tenant")
                .version(2)
                .lease(500, Duration.ofSeconds(1), 1, -1),
            bucket("old", 1, 1).match("tenant"),
            bucket("new", 1, 1).match("tenant").replaces("old"));
    Inspection before = now(limits.inspect(lending, descriptors("tenant", "a")));
    assertEquals(0, before.keys().get(0).ruleVersion());
    assertEquals(List.of("old"), before.replaced());
    node.check(lending, 1, "tenant", "a");
    Inspection after = now(limits.inspect(lending, descriptors("tenant", "a")));
    KeyState tenant = after.keys().get(0);
    assertEquals("tenant|tenant=a", tenant.key());
    assertEquals(2, tenant.ruleVersion());
    assertEquals(9, tenant.status().remaining());
    // Of a period of 200 ms for one: what is there, one more, and half of it in leases.
    assertEquals(10 + 1 + 5, tenant.boundPerPeriod());
    assertEquals(3, after.policyVersion());
    assertEquals(after, now(limits.inspect(lending, descriptors("tenant", "a"))));
    assertEquals(List.of(), now(limits.inspect(lending, List.of())).keys());
  }

  @Test
  void reset_ofOneRule_leavesTheOthers() {
    node.check(policy, 4, "tenant", "a", "user", "x");
    Inspection reset =
        now(
            limits.reset(
                policy, descriptors("tenant", "a", "user", "x"), Optional.of("user"), ANY));
    assertEquals(1, reset.keys().size());
    assertEquals(4, reset.keys().get(0).status().remaining());
    Decision next = node.check(policy, 1, "tenant", "a", "user", "x").join();
    assertEquals(List.of(5L, 3L), next.limits().stream().map(each -> each.remaining()).toList());
    assertEquals(
        List.of(),
        now(limits.reset(policy, descriptors("tenant", "a"), Optional.of("none"), ANY)).keys());
  }

  @Test
  void slot_sentAgain_isHeldAsLongAsIsSaid_orNotAcquired() {
    CompiledPolicy one = policy(TestRules.of("slots", new Limit.Concurrency(1)).match("tenant"));
    AcquireSlotResult.AcquireSlotSpec wish =
        new AcquireSlotResult.AcquireSlotSpec(descriptors("tenant", "a"), 10_000_000, once("r1"));
    AcquireSlotResult.AcquireSlotSpec other =
        new AcquireSlotResult.AcquireSlotSpec(descriptors("tenant", "a"), 10_000_000, once("r2"));
    now(limits.acquireSlot(one, wish));
    node.advance(9_000);
    assertEquals(10_000_000, now(limits.acquireSlot(one, wish)).validFor());
    node.advance(9_999);
    assertFalse(now(limits.acquireSlot(one, other)).acquired());
    node.advance(1);
    AcquireSlotResult over = now(limits.acquireSlot(one, wish));
    assertFalse(over.acquired());
    assertEquals(0, over.validFor());
  }

  @Test
  void checkMany_withTheIdOfAnotherRequest_chargesNothing_whicheverItemHasBudgets() {
    Check none = check(1, "other", "x");
    List<Check> first = List.of(none, check(1, "tenant", "a"));
    now(limits.checkMany(policy, first, false, once("id")));
    assertEquals(2, now(limits.checkMany(policy, first, false, once("id"))).size());
    List<Check> other = List.of(none, check(1, "tenant", "a"), check(1, "tenant", "b"));
    assertInstanceOf(
        Failure.Invalid.class,
        DecisionFixture.failure(
            limits
                .checkMany(policy, other, false, Optional.of(new IdempotencyKey("id", "other")))
                .toCompletableFuture()));
    assertEquals(9, remaining("a"));
    assertEquals(10, remaining("b"));
  }

  @Test
  void checkMany_sentAgain_whenThePolicyHasAnotherFirstItem_givesNoItemTheVerdictOfAnother() {
    List<Check> items = List.of(check(1, "new", "x"), check(1, "tenant", "a"));
    now(limits.checkMany(policy, items, false, once("id")));
    CompiledPolicy later = policyOf(2, bucket("new", 5, 1).match("new"));
    assertInstanceOf(
        Failure.Invalid.class,
        DecisionFixture.failure(
            limits.checkMany(later, items, false, once("id")).toCompletableFuture()));
  }

  private long remaining(String tenant) {
    return now(limits.inspect(policy, descriptors("tenant", tenant)))
        .keys()
        .get(0)
        .status()
        .remaining();
  }
}
