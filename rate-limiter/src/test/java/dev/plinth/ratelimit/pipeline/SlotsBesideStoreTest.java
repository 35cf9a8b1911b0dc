package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.descriptors;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Slots that the store gives and slots that the node gives meanwhile are of one budget. */
class SlotsBesideStoreTest {
  private static final int LIMIT = 3;
  private static final long TTL = 30_000_000;

  private final DecisionFixture node = new DecisionFixture(PipelineOptions.DEFAULTS.withQueues(1));

  private static CompiledPolicy slots(FailMode mode) {
    return policy(TestRules.of("slots", new Limit.Concurrency(LIMIT)).match("tenant").fail(mode));
  }

  private final CompiledPolicy local = slots(FailMode.LOCAL);

  private CompletableFuture<AcquireSlotResult> acquire(CompiledPolicy policy) {
    AcquireSlotResult.AcquireSlotSpec wish =
        new AcquireSlotResult.AcquireSlotSpec(descriptors("tenant", "a"), TTL, Optional.empty());
    return node.limits.acquireSlot(policy, wish).toCompletableFuture();
  }

  private AcquireSlotResult inTime(CompiledPolicy policy) {
    CompletableFuture<AcquireSlotResult> acquired = acquire(policy);
    node.store.answerAll();
    return acquired.join();
  }

  private AcquireSlotResult late(CompiledPolicy policy) {
    CompletableFuture<AcquireSlotResult> acquired = acquire(policy);
    node.advance(25);
    assertTrue(acquired.isDone());
    node.store.answerAll();
    return acquired.join();
  }

  private boolean release(AcquireSlotResult grant) {
    CompletableFuture<Boolean> released =
        node.limits
            .releaseSlot(TestRules.DOMAIN, grant.slot(), Optional.empty())
            .toCompletableFuture();
    node.store.answerAll();
    return released.join();
  }

  private long heldInStore(CompiledPolicy policy) {
    CompletableFuture<Inspection> seen =
        node.limits.inspect(policy, descriptors("tenant", "a")).toCompletableFuture();
    node.store.answerAll();
    return seen.join().keys().get(0).slots();
  }

  @Test
  void slotsOfSlowStore_andThoseOfTheNode_neverExceedTheLimit() {
    Random random = new Random(7);
    List<AcquireSlotResult> held = new ArrayList<>();
    int byTheStore = 0;
    int byTheNode = 0;
    late(local); // from here on the node counts
    node.advance(TTL / 1000 + 1);
    for (int i = 0; i < 2000; i++) {
      if (random.nextInt(3) == 0 && !held.isEmpty()) {
        release(held.remove(random.nextInt(held.size())));
      } else {
        AcquireSlotResult grant = random.nextBoolean() ? inTime(local) : late(local);
        if (grant.acquired()) {
          held.add(grant);
          byTheStore += grant.decidedBy() == DecidedBy.STORE ? 1 : 0;
          byTheNode += grant.decidedBy() == DecidedBy.STORE ? 0 : 1;
        }
      }
      assertTrue(held.size() <= LIMIT, held.size() + " held in round " + i);
    }
    assertTrue(
        byTheStore > 100 && byTheNode > 100, byTheStore + " by the store, " + byTheNode + " local");
  }

  @Test
  void slotsThatTheStoreGave_countWhenTheNodeDecides() {
    assertTrue(late(local).acquired());
    assertTrue(inTime(local).acquired());
    assertTrue(inTime(local).acquired());
    assertFalse(late(local).acquired());
  }

  @Test
  void storeThatIsBack_givesNoMoreThanTheNodeLeaves() {
    node.store.prompt();
    node.store.setUnavailable(true);
    List<AcquireSlotResult> given = List.of(inTime(local), inTime(local), inTime(local));
    assertTrue(given.stream().allMatch(AcquireSlotResult::acquired));
    node.store.setUnavailable(false);
    node.advance(2_000);
    AcquireSlotResult full = inTime(local);
    assertFalse(full.acquired());
    assertEquals(DecidedBy.LOCAL_FALLBACK, full.decidedBy());
    assertEquals(TTL - 2_000_000, full.retry());
    assertEquals(0, heldInStore(local), "it was given back");
    assertTrue(release(given.get(0)), "though the store knows nothing of it");
    assertTrue(inTime(local).acquired());
  }

  @Test
  void slotThatRanOut_leavesItsPlaceToTheStore() {
    node.store.prompt();
    node.store.setUnavailable(true);
    for (int i = 0; i < LIMIT; i++) {
      assertTrue(inTime(local).acquired());
    }
    node.store.setUnavailable(false);
    node.advance(TTL / 1000);
    assertEquals(DecidedBy.STORE, inTime(local).decidedBy());
  }

  @ParameterizedTest
  @EnumSource(
      value = FailMode.class,
      names = {"CLOSED", "LOCAL"})
  void lateSlot_ofACallerThatWasRefused_isReleased(FailMode mode) {
    CompiledPolicy policy = slots(mode);
    if (mode == FailMode.LOCAL) {
      node.store.prompt();
      node.store.setUnavailable(true);
      for (int i = 0; i < LIMIT; i++) {
        assertTrue(inTime(policy).acquired());
      }
      node.store.setUnavailable(false);
      node.store.hold();
      node.advance(2_000);
    }
    assertFalse(late(policy).acquired());
    assertEquals(0, heldInStore(policy));
  }

  @ParameterizedTest
  @EnumSource(
      value = FailMode.class,
      names = {"OPEN", "LOCAL"})
  void lateSlot_ofACallerThatWasGivenOne_isThatOne(FailMode mode) {
    CompiledPolicy policy = slots(mode);
    AcquireSlotResult grant = late(policy);
    assertTrue(grant.acquired());
    assertEquals(1, heldInStore(policy));
    assertTrue(release(grant));
    assertEquals(0, heldInStore(policy));
  }

  @Test
  void lateSlot_thatWasReleasedMeanwhile_isReleasedInTheStore() {
    CompletableFuture<AcquireSlotResult> acquired = acquire(local);
    node.advance(25);
    CompletableFuture<Boolean> released =
        node.limits
            .releaseSlot(TestRules.DOMAIN, acquired.join().slot(), Optional.empty())
            .toCompletableFuture();
    node.advance(25);
    assertTrue(released.join());
    node.store.answerAll();
    assertEquals(0, heldInStore(local));
  }

  @Test
  void slotWhoseAnswerWasLost_isReleasedWhenTheStoreIsBack() {
    CompiledPolicy closed = slots(FailMode.CLOSED);
    CompletableFuture<AcquireSlotResult> acquired = acquire(closed);
    node.store.prompt();
    node.store.setUnavailable(true);
    node.store.lose();
    assertFalse(acquired.join().acquired());
    node.advance(3_000);
    node.store.setUnavailable(false);
    node.advance(10_000);
    assertEquals(0, heldInStore(closed));
  }

  @Test
  void renewal_ofASlotOfTheStore_isNotPromisedWithoutIt() {
    late(local);
    AcquireSlotResult ofStore = inTime(local);
    assertEquals(DecidedBy.STORE, ofStore.decidedBy());
    node.store.prompt();
    node.store.setUnavailable(true);
    assertInstanceOf(
        StoreUnavailable.class,
        DecisionFixture.failure(
            node.limits.renewSlot(TestRules.DOMAIN, ofStore.slot(), TTL).toCompletableFuture()));
  }
}
