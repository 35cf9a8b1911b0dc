package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.shards.fixture.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who waits for a key, in which order, and what happens to those who go away. */
class WaitingTest extends CoreTest {
  @Test
  void V10_waiters_areServedFirstComeFirstServed_withinPriority() {
    long token = granted(acquire("ann")).token();
    List<Answer<AcquireResult>> line = new ArrayList<>();
    for (int priority : new int[] {0, 5, 0, 5}) {
      line.add(wait("w" + line.size(), priority));
    }
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      leases.release(PRINTER, token, tx);
      LeaseView next = leases.get(PRINTER, tx).holders().get(0);
      order.add(next.ownerId());
      token = next.token();
    }
    assertEquals(List.of("w1", "w3", "w0", "w2"), order);
    line.forEach(waiter -> assertInstanceOf(AcquireResult.Granted.class, waiter.answer));
  }

  @Test
  void handOff_isPartOfTheRelease_soNobodySlipsIn() {
    long token = granted(acquire("ann")).token();
    Answer<AcquireResult> bob = wait("bob", 0);
    leases.release(PRINTER, token, tx);
    assertEquals("bob", granted(bob).ownerId());
    assertInstanceOf(AcquireResult.Held.class, acquire("eve").answer);
  }

  @Test
  void V10_newcomer_doesNotPassTheLine() {
    acquire(wish("ann").mode(LeaseMode.SHARED));
    wait("bob", 0);
    assertInstanceOf(AcquireResult.Held.class, acquire(wish("eve").mode(LeaseMode.SHARED)).answer);
  }

  @Test
  void wait_thatRunsOut_isAnswered_andLeavesTheLine() {
    granted(acquire(wish("ann").ttl(LONG)));
    Answer<AcquireResult> bob = acquire(wish("bob").wait(Duration.ofSeconds(3)));
    clock.advance(Duration.ofMillis(2999));
    assertTrue(bob.isOpen());
    clock.advance(Duration.ofMillis(1));
    assertInstanceOf(AcquireResult.TimedOut.class, bob.answer);
    assertEquals(0, waiters("printer").total());
  }

  @Test
  void expiry_handsOnToTheFirstInLine() {
    granted(acquire("ann"));
    Answer<AcquireResult> bob = wait("bob", 0);
    clock.advance(TTL);
    assertEquals("bob", granted(bob).ownerId());
  }

  @Test
  void sharedHolders_goTogether_exclusiveOnesDoNot() {
    granted(acquire(wish("ann").mode(LeaseMode.SHARED)));
    granted(acquire(wish("bob").mode(LeaseMode.SHARED)));
    assertInstanceOf(AcquireResult.Held.class, acquire("eve").answer);
    assertEquals(2, leases.get(PRINTER, tx).holders().size());
  }

  @Test
  void sharedWaiters_atTheHeadOfTheLine_areLetInTogether() {
    long token = granted(acquire("ann")).token();
    Answer<AcquireResult> bob = acquire(wish("bob").mode(LeaseMode.SHARED).wait(LONG));
    Answer<AcquireResult> cid = acquire(wish("cid").mode(LeaseMode.SHARED).wait(LONG));
    Answer<AcquireResult> dan = acquire(wish("dan").wait(LONG));
    leases.release(PRINTER, token, tx);
    granted(bob);
    granted(cid);
    assertTrue(dan.isOpen());
  }

  @Test
  void widening_isOnlyForASoleHolder() {
    granted(acquire(wish("ann").mode(LeaseMode.SHARED)));
    granted(acquire(wish("bob").mode(LeaseMode.SHARED)));
    assertInstanceOf(AcquireResult.Held.class, acquire("ann").answer);
    clock.advance(TTL);
    granted(acquire(wish("ann").mode(LeaseMode.SHARED)));
    AcquireResult.Reentered wider =
        assertInstanceOf(AcquireResult.Reentered.class, acquire("ann").answer);
    assertEquals(LeaseMode.EXCLUSIVE, wider.lease().leaseMode());
  }

  @Test
  void abandonedWaiter_isNeverGranted_andBlocksNobody() {
    long token = granted(acquire("ann")).token();
    Answer<AcquireResult> gone = wait("gone", 0);
    Answer<AcquireResult> bob = wait("bob", 0);
    gone.abandoned = true;
    leases.release(PRINTER, token, tx);
    assertEquals("bob", granted(bob).ownerId());
    assertTrue(gone.answer == null);
  }

  @Test
  void abandonedWaiter_keepsItsPlaceForAMoment_ifItMayComeBack() {
    granted(acquire("ann"));
    Answer<AcquireResult> bob = acquire(wish("bob").wait(LONG).patient());
    acquire(wish("cid").wait(LONG));
    abandon(bob);
    assertEquals(2, waiters("printer").total());
    bob.abandoned = false;
    clock.advance(WaitQueues.TIMEOUT);
    assertEquals(2, waiters("printer").total());
    abandon(bob);
    clock.advance(WaitQueues.TIMEOUT);
    assertEquals(1, waiters("printer").total());
    assertEquals(ErrorReason.ERROR_REASON_CALL_ENDED, bob.failure.reason());
  }

  @Test
  void V9_placeThatIsKept_barsNobodyFromAFreeKey_andItsCallerFindsItFreeOnComingBack() {
    long token = granted(acquire("ann")).token();
    Answer<AcquireResult> bob = acquire(wish("bob").wait(LONG).patient());
    abandon(bob);
    leases.release(PRINTER, token, tx.next());
    LeaseView cid = granted(acquire("cid"));
    leases.release(PRINTER, cid.token(), tx.next());
    comeBack(bob);
    assertEquals("bob", granted(bob).ownerId());
  }

  @Test
  void V9_waitThatRunsOutWhileItsCallerIsGone_isNotAnswered_sinceTheKeyMayHaveBeenFree() {
    long token = granted(acquire("ann")).token();
    Answer<AcquireResult> bob = acquire(wish("bob").wait(Duration.ofSeconds(1)).patient());
    abandon(bob);
    leases.release(PRINTER, token, tx.next());
    clock.advance(Duration.ofSeconds(1));
    assertEquals(ErrorReason.ERROR_REASON_CALL_ENDED, bob.failure.reason());
    assertEquals(0, leases.policy("default").waiters());
  }

  @Test
  void waiterThatIsHandedTheKey_hearsThatItHasIt() {
    long token = granted(acquire("ann")).token();
    Answer<AcquireResult> bob = wait("bob", 0);
    LeaseView handed = leases.transfer(PRINTER, token, "bob", "", tx.next()).orElseThrow();
    AcquireResult.Reentered again = assertInstanceOf(AcquireResult.Reentered.class, bob.answer);
    assertEquals(handed.token(), again.lease().token());
  }
}
