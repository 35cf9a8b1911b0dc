package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SemaphoreTest extends CoreTest {
  @BeforeEach
  void five() {
    capacity(this, 5);
  }

  static void capacity(CoreTest test, int capacity) {
    NamespacePolicy.Semaphore rule = new NamespacePolicy.Semaphore("sem", capacity);
    test.leases.setPolicy(
        "default",
        NamespacePolicyTest.with(Map.of(), List.of(rule)),
        Optional.empty(),
        test.tx.next());
  }

  @Test
  void V2_weights_sumUpToNoMoreThanTheCapacity() {
    granted(permit("ann", 2));
    granted(permit("bob", 3));
    assertInstanceOf(AcquireResult.Held.class, permit("cid", 1).answer);
  }

  @Test
  void eachGrant_isAHoldOfItsOwn_evenOfTheSameOwner() {
    long one = granted(permit("ann", 2)).token();
    long two = granted(permit("ann", 2)).token();
    assertTrue(two > one);
    leases.release(new LeaseName("default", "sem"), one, tx);
    assertEquals(List.of("ann"), holders("sem"));
    granted(permit("bob", 3));
  }

  @Test
  void aHeavyWaiter_isNotPassedByLightOnes() {
    long first = granted(permit("ann", 3)).token();
    Answer<AcquireResult> heavy = acquire(wish("bob").weight(5).key("sem").wait(LONG));
    Answer<AcquireResult> light = acquire(wish("cid").weight(1).key("sem").wait(LONG));
    assertTrue(heavy.isOpen() && light.isOpen());
    leases.release(new LeaseName("default", "sem"), first, tx);
    granted(heavy);
    assertTrue(light.isOpen());
  }

  @Test
  void moreCapacity_letsWaitersIn_lessTakesNothingAway() {
    granted(permit("ann", 5));
    Answer<AcquireResult> bob = acquire(wish("bob").weight(2).key("sem").wait(LONG));
    capacity(this, 7);
    granted(bob);
    capacity(this, 1);
    assertEquals(List.of("ann", "bob"), holders("sem"));
    assertInstanceOf(AcquireResult.Held.class, permit("cid", 1).answer);
  }

  @Test
  void weightsAndCapacity_surviveATakeover() {
    granted(permit("ann", 4));
    takeOver();
    assertInstanceOf(AcquireResult.Held.class, permit("bob", 2).answer);
    granted(permit("bob", 1));
  }

  @Test
  void withoutARule_orHeavierThanAll_isRefused_andChangesNothing() {
    int written = tx.written();
    assertEquals(
        ErrorReason.ERROR_REASON_POLICY_VIOLATION,
        assertThrows(Failure.class, () -> acquire(wish("ann").weight(1).key("other"))).reason());
    assertEquals(
        ErrorReason.ERROR_REASON_POLICY_VIOLATION,
        assertThrows(Failure.class, () -> permit("ann", 6)).reason());
    assertEquals(written, tx.written());
  }

  @Test
  void semaphoreAndOtherModes_doNotGoTogether() {
    granted(permit("ann", 1));
    assertInstanceOf(AcquireResult.Held.class, acquire(wish("bob").key("sem")).answer);
    assertInstanceOf(
        AcquireResult.Held.class, acquire(wish("bob").key("sem").mode(LeaseMode.SHARED)).answer);
  }

  private Answer<AcquireResult> permit(String owner, int weight) {
    return acquire(wish(owner).weight(weight).key("sem"));
  }
}
