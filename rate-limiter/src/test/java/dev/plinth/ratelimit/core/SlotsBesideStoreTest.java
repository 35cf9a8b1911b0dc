package dev.plinth.ratelimit.core;

import static dev.plinth.ratelimit.core.RuleOf.descriptors;
import static dev.plinth.ratelimit.core.RuleOf.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.core.Decision.DecidedBy;
import dev.plinth.ratelimit.core.Rule.FailMode;
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

  private final Deciding node = new Deciding(Tuning.DEFAULT.withLanes(1));

  private static CompiledPolicy slots(FailMode mode) {
    return policy(RuleOf.of("slots", new Limit.Concurrency(LIMIT)).match("tenant").fail(mode));
  }

  private final CompiledPolicy local = slots(FailMode.LOCAL);

  private CompletableFuture<SlotGrant> acquire(CompiledPolicy policy) {
    SlotGrant.Wish wish = new SlotGrant.Wish(descriptors("tenant", "a"), TTL, Optional.empty());
    return node.limits.acquireSlot(policy, wish).toCompletableFuture();
  }

  private SlotGrant inTime(CompiledPolicy policy) {
    CompletableFuture<SlotGrant> acquired = acquire(policy);
    node.store.answerAll();
    return acquired.join();
  }

  private SlotGrant late(CompiledPolicy policy) {
    CompletableFuture<SlotGrant> acquired = acquire(policy);
    node.advance(25);
    assertTrue(acquired.isDone());
    node.store.answerAll();
    return acquired.join();
  }

  private boolean release(SlotGrant grant) {
    CompletableFuture<Boolean> released =
        node.limits
            .releaseSlot(RuleOf.DOMAIN, grant.slot(), Optional.empty())
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
    List<SlotGrant> held = new ArrayList<>();
    int byTheStore = 0;
    int byTheNode = 0;
    late(local); // from here on the node counts
    node.advance(TTL / 1000 + 1);
    for (int i = 0; i < 2000; i++) {
      if (random.nextInt(3) == 0 && !held.isEmpty()) {
        release(held.remove(random.nextInt(held.size())));
      } else {
        SlotGrant grant = random.nextBoolean() ? inTime(local) : late(local);
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
    node.store.away(true);
    List<SlotGrant> given = List.of(inTime(local), inTime(local), inTime(local));
    assertTrue(given.stream().allMatch(SlotGrant::acquired));
    node.store.away(false);
    node.advance(2_000);
    SlotGrant full = inTime(local);
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
    node.store.away(true);
    for (int i = 0; i < LIMIT; i++) {
      assertTrue(inTime(local).acquired());
    }
    node.store.away(false);
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
      node.store.away(true);
      for (int i = 0; i < LIMIT; i++) {
        assertTrue(inTime(policy).acquired());
      }
      node.store.away(false);
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
    SlotGrant grant = late(policy);
    assertTrue(grant.acquired());
    assertEquals(1, heldInStore(policy));
    assertTrue(release(grant));
    assertEquals(0, heldInStore(policy));
  }

  @Test
  void lateSlot_thatWasReleasedMeanwhile_isReleasedInTheStore() {
    CompletableFuture<SlotGrant> acquired = acquire(local);
    node.advance(25);
    CompletableFuture<Boolean> released =
        node.limits
            .releaseSlot(RuleOf.DOMAIN, acquired.join().slot(), Optional.empty())
            .toCompletableFuture();
    node.advance(25);
    assertTrue(released.join());
    node.store.answerAll();
    assertEquals(0, heldInStore(local));
  }

  @Test
  void slotWhoseAnswerWasLost_isReleasedWhenTheStoreIsBack() {
    CompiledPolicy closed = slots(FailMode.CLOSED);
    CompletableFuture<SlotGrant> acquired = acquire(closed);
    node.store.prompt();
    node.store.away(true);
    node.store.lose();
    assertFalse(acquired.join().acquired());
    node.advance(3_000);
    node.store.away(false);
    node.advance(10_000);
    assertEquals(0, heldInStore(closed));
  }

  @Test
  void renewal_ofASlotOfTheStore_isNotPromisedWithoutIt() {
    late(local);
    SlotGrant ofStore = inTime(local);
    assertEquals(DecidedBy.STORE, ofStore.decidedBy());
    node.store.prompt();
    node.store.away(true);
    assertInstanceOf(
        StoreUnavailable.class,
        Deciding.failure(
            node.limits.renewSlot(RuleOf.DOMAIN, ofStore.slot(), TTL).toCompletableFuture()));
  }
}
