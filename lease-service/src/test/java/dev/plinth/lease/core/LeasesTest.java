package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeasesTest extends CoreTest {
  @Test
  void acquire_ofAFreeKey_isGranted() {
    LeaseView lease = granted(acquire("ann"));
    assertEquals("ann", lease.ownerId());
    assertEquals(TTL, lease.ttl());
    assertEquals(TTL, lease.remaining());
    assertTrue(tx.rows().containsKey("lease/k/default/printer @" + lease.token()));
  }

  @Test
  void acquire_ofAHeldKey_isAnswered_withItsHolders_andChangesNothing() {
    granted(acquire("ann"));
    int writes = tx.written();
    AcquireResult.Held held = assertInstanceOf(AcquireResult.Held.class, acquire("bob").answer);
    assertEquals("ann", held.holders().get(0).ownerId());
    assertEquals(writes, tx.written());
  }

  @Test
  void tokens_riseAtEveryGrant_andStayOnReentry() {
    long first = granted(acquire("ann")).token();
    AcquireResult.Reentered again =
        assertInstanceOf(AcquireResult.Reentered.class, acquire("ann").answer);
    assertEquals(first, again.lease().token());
    assertEquals(2, again.lease().entries());
    assertEquals(ReleaseResult.STILL_HELD, leases.release(PRINTER, first, tx));
    assertEquals(ReleaseResult.RELEASED, leases.release(PRINTER, first, tx));
    assertTrue(granted(acquire("bob")).token() > first);
  }

  @Test
  void V8_release_withAStaleToken_changesNothing() {
    long old = granted(acquire("ann")).token();
    leases.release(PRINTER, old, tx);
    granted(acquire("ann"));
    int writes = tx.written();
    assertEquals(ReleaseResult.NOT_HELD, leases.release(PRINTER, old, tx));
    assertEquals(writes, tx.written());
    assertEquals(1, leases.get(PRINTER, tx).holders().size());
  }

  @Test
  void release_ofTheLastHold_leavesNoRow() {
    leases.release(PRINTER, granted(acquire("ann")).token(), tx);
    assertTrue(live().isEmpty());
  }

  @Test
  void V5_lease_expiresAtItsTtl_neverEarly() {
    granted(acquire("ann"));
    clock.advance(TTL.minusMillis(1));
    assertEquals(1, leases.get(PRINTER, tx).holders().size());
    clock.advance(Duration.ofMillis(1));
    assertEquals(0, leases.get(PRINTER, tx).holders().size());
    assertTrue(live().isEmpty());
  }

  @Test
  void renewal_countsTheTtlAnew_andWritesNothing() {
    long token = granted(acquire("ann")).token();
    int writes = tx.written();
    for (int i = 0; i < 5; i++) {
      clock.advance(Duration.ofSeconds(9));
      assertEquals(TTL, leases.renew(PRINTER, token, tx).orElseThrow().remaining());
    }
    assertEquals(writes, tx.written());
    clock.advance(TTL);
    assertEquals(Optional.empty(), leases.renew(PRINTER, token, tx));
  }

  @Test
  void wallClockSteps_changeNothing() {
    granted(acquire("ann"));
    clock.stepWall(Duration.ofHours(1));
    clock.advance(TTL.minusMillis(1));
    assertEquals(1, leases.get(PRINTER, tx).holders().size());
    clock.stepWall(Duration.ofDays(-1));
    clock.advance(Duration.ofMillis(1));
    assertEquals(0, leases.get(PRINTER, tx).holders().size());
  }

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

  @Test
  void sessionsLeases_liveOnItsHeartbeats_andEndWithIt() {
    String session = openSession("ann", Duration.ZERO);
    granted(acquire(inSession("ann", session, "a")));
    granted(acquire(inSession("ann", session, "b")));
    for (int i = 0; i < 3; i++) {
      clock.advance(Duration.ofSeconds(9));
      assertEquals(TTL, leases.sessions().heartbeat("default", session, tx).ttl());
    }
    assertEquals(2, held().size());
    clock.advance(TTL);
    assertEquals(0, held().size());
    assertTrue(live().isEmpty());
    Failure ended =
        assertThrows(Failure.class, () -> leases.sessions().heartbeat("default", session, tx));
    assertEquals(ErrorReason.ERROR_REASON_SESSION_EXPIRED, ended.reason());
  }

  @Test
  void closeSession_releasesAndGivesUpItsWaits() {
    String session = openSession("ann", LONG);
    granted(acquire(inSession("ann", session, "a")));
    granted(acquire("bob"));
    Answer<AcquireResult> waiting = acquire(inSession("ann", session, "printer"));
    assertEquals(1, closeSession(session));
    assertEquals(ErrorReason.ERROR_REASON_SESSION_EXPIRED, waiting.failure.reason());
    assertEquals(Duration.ZERO, leases.get(new LeaseName("default", "a"), tx).barredFor());
    assertEquals(0, closeSession(session));
  }

  @Test
  void acquire_inASessionThatIsNotOpen_isRefused_andChangesNothing() {
    Failure refused =
        assertThrows(Failure.class, () -> acquire(inSession("ann", "s-none", "printer")));
    assertEquals(ErrorReason.ERROR_REASON_SESSION_EXPIRED, refused.reason());
    assertEquals(0, tx.written());
  }

  @Test
  void V17_lockDelay_barsOthersAfterALoss_notTheLostOwner() {
    Wish ann = delayed("ann", Duration.ofSeconds(5));
    granted(acquire(ann));
    clock.advance(TTL);
    AcquireResult.Delayed delayed =
        assertInstanceOf(AcquireResult.Delayed.class, acquire("bob").answer);
    assertEquals(Duration.ofSeconds(5), delayed.retryAfter());
    Answer<AcquireResult> waiting = wait("bob", 0);
    clock.advance(Duration.ofMillis(4999));
    assertTrue(waiting.isOpen());
    clock.advance(Duration.ofMillis(1));
    assertEquals("bob", granted(waiting).ownerId());
  }

  @Test
  void V17_lockDelay_letsTheLostOwnerBackIn() {
    granted(acquire(delayed("ann", Duration.ofSeconds(5))));
    clock.advance(TTL);
    granted(acquire("ann"));
  }

  @Test
  void V17_lockDelay_isNotForARelease() {
    LeaseView lease = granted(acquire(delayed("ann", Duration.ofSeconds(5))));
    leases.release(PRINTER, lease.token(), tx);
    granted(acquire("bob"));
  }

  @Test
  void validate_knowsTheTokenThatHolds_andNoOther() {
    long token = granted(acquire("ann")).token();
    assertTrue(leases.validate(PRINTER, token, tx).isPresent());
    assertTrue(leases.validate(PRINTER, token - 1, tx).isEmpty());
    clock.advance(TTL);
    assertTrue(leases.validate(PRINTER, token, tx).isEmpty());
  }

  @Test
  void transfer_givesTheHoldOn_underANewToken_pastTheLine() {
    long old = granted(acquire("ann")).token();
    Answer<AcquireResult> waiting = wait("cid", 0);
    LeaseView bob = leases.transfer(PRINTER, old, "bob", "", tx).orElseThrow();
    assertTrue(bob.token() > old);
    assertEquals("bob", leases.get(PRINTER, tx).holders().get(0).ownerId());
    assertTrue(waiting.isOpen());
    assertTrue(leases.transfer(PRINTER, old, "eve", "", tx).isEmpty());
    assertEquals(ReleaseResult.NOT_HELD, leases.release(PRINTER, old, tx));
    clock.advance(TTL);
    assertEquals("cid", granted(waiting).ownerId());
  }

  @Test
  void transfer_toASessionThatIsNotOpen_changesNothing() {
    long token = granted(acquire("ann")).token();
    int writes = tx.written();
    assertThrows(Failure.class, () -> leases.transfer(PRINTER, token, "bob", "s-none", tx));
    assertEquals(writes, tx.written());
    assertEquals("ann", leases.get(PRINTER, tx).holders().get(0).ownerId());
  }

  @Test
  void confirm_beforeTheEnd_makesTheHoldLast_overATakeoverToo() {
    long token = granted(acquire("ann")).token();
    clock.advance(TTL.minusMillis(1));
    assertTrue(leases.confirm(PRINTER, token, Optional.of(new byte[] {7}), tx).isPresent());
    clock.advance(Duration.ofDays(1));
    takeOver();
    clock.advance(Duration.ofDays(1));
    LeaseView booked = leases.get(PRINTER, tx).holders().get(0);
    assertTrue(booked.confirmed());
    assertEquals(7, booked.payload()[0]);
    assertEquals(ReleaseResult.RELEASED, leases.release(PRINTER, token, tx));
  }

  @Test
  void confirm_afterTheEnd_findsNothing() {
    long token = granted(acquire("ann")).token();
    clock.advance(TTL);
    assertTrue(leases.confirm(PRINTER, token, Optional.empty(), tx).isEmpty());
    assertTrue(live().isEmpty());
  }

  @Test
  void confirmedHold_outlivesItsSession() {
    String session = openSession("ann", Duration.ZERO);
    long token = granted(acquire(inSession("ann", session, "printer"))).token();
    leases.confirm(PRINTER, token, Optional.empty(), tx);
    clock.advance(TTL);
    assertEquals(token, leases.get(PRINTER, tx).holders().get(0).token());
    takeOver();
    clock.advance(TTL.multipliedBy(3));
    assertEquals(token, leases.get(PRINTER, tx).holders().get(0).token());
  }

  @Test
  void updatePayload_comparesTheVersion() {
    long token = granted(acquire("ann")).token();
    LeaseView two =
        leases.updatePayload(PRINTER, token, Optional.of(1L), new byte[] {2}, tx).orElseThrow();
    assertEquals(2, two.payloadVersion());
    Failure conflict =
        assertThrows(
            Failure.class,
            () -> leases.updatePayload(PRINTER, token, Optional.of(1L), new byte[] {3}, tx));
    assertEquals(ErrorReason.ERROR_REASON_REVISION_CONFLICT, conflict.reason());
    takeOver();
    LeaseView kept = leases.get(PRINTER, tx).holders().get(0);
    assertEquals(2, kept.payload()[0]);
    assertEquals(2, kept.payloadVersion());
    assertTrue(
        leases.updatePayload(PRINTER, token + 1, Optional.empty(), new byte[0], tx).isEmpty());
  }

  @Test
  void forceRelease_endsTheHold_barsTheKey_andHandsOnAfterwards() {
    granted(acquire(delayed("ann", Duration.ofSeconds(5))));
    Answer<AcquireResult> waiting = wait("bob", 0);
    assertEquals(1, forceRelease(Optional.empty()).size());
    assertTrue(waiting.isOpen(), "its holder may still be at work");
    clock.advance(Duration.ofSeconds(5));
    LeaseView bob = granted(waiting);
    assertEquals(0, forceRelease(Optional.of(bob.token() - 1)).size());
    assertEquals(1, forceRelease(Optional.of(bob.token())).size());
  }

  @Test
  void fence_onlyRises_overATakeoverToo() {
    LeaseName disk = new LeaseName("default", "disk");
    assertEquals(0, leases.fences().floor(disk));
    assertEquals(7, leases.fences().raise(disk, 7, tx));
    assertEquals(7, leases.fences().raise(disk, 5, tx), "5 is not accepted");
    takeOver();
    assertEquals(7, leases.fences().floor(disk));
    assertEquals(9, leases.fences().raise(disk, 9, tx));
  }

  @Test
  void gauges_followATakeover_andComeBackToZero() {
    String session = openSession("ann", Duration.ZERO);
    granted(acquire(inSession("ann", session, "a")));
    granted(acquire("bob"));
    wait("cid", 0);
    assertEquals(List.of(2, 1, 1), List.of(events.held, events.waiting, events.sessions));
    leases.removeFromGauges();
    takeOver();
    assertEquals(List.of(2, 0, 1), List.of(events.held, events.waiting, events.sessions));
    clock.advance(TTL);
    assertEquals(List.of(0, 0, 0), List.of(events.held, events.waiting, events.sessions));
  }

  @Test
  void takeover_keepsHoldersAndTokens_andGivesEachItsFullTimeAgain() {
    String session = openSession("ann", Duration.ZERO);
    LeaseView inSession = granted(acquire(inSession("ann", session, "a")));
    Wish own = delayed("bob", Duration.ofSeconds(5));
    LeaseView alone = granted(acquire(own));
    acquire(own);
    clock.advance(Duration.ofSeconds(9));
    takeOver();
    clock.advance(Duration.ofSeconds(9));
    LeaseView after = leases.get(PRINTER, tx).holders().get(0);
    assertEquals(alone.token(), after.token());
    assertEquals(2, after.entries());
    assertEquals("bob", after.ownerId());
    assertEquals(
        inSession.token(), leases.get(new LeaseName("default", "a"), tx).holders().get(0).token());
    assertEquals(TTL, leases.sessions().heartbeat("default", session, tx).ttl());
    clock.advance(Duration.ofSeconds(1));
    assertInstanceOf(AcquireResult.Delayed.class, acquire("eve").answer);
  }

  @Test
  void V17_takeover_inALockDelay_startsItAgain() {
    granted(acquire(delayed("ann", Duration.ofSeconds(5))));
    clock.advance(TTL.plusSeconds(4));
    takeOver();
    clock.advance(Duration.ofSeconds(4));
    assertInstanceOf(AcquireResult.Delayed.class, acquire("bob").answer);
    clock.advance(Duration.ofSeconds(1));
    granted(acquire("bob"));
  }
}
