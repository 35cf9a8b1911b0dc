package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import java.time.Duration;
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
    giveTokens(9);
    assertEquals(0, leases.fences().floor(disk));
    assertEquals(7, leases.fences().raise(disk, 7, tx));
    assertEquals(7, leases.fences().raise(disk, 5, tx), "5 is not accepted");
    takeOver();
    assertEquals(7, leases.fences().floor(disk));
    assertEquals(9, leases.fences().raise(disk, 9, tx));
  }

  @Test
  void fence_isNotRaisedAboveEveryTokenEverGiven() {
    LeaseName disk = new LeaseName("default", "disk");
    long token = granted(acquire("ann")).token();
    for (long forged : List.of(token + 1, Long.MAX_VALUE)) {
      Failure refused =
          assertThrows(Failure.class, () -> leases.fences().raise(disk, forged, tx.next()));
      assertEquals("token", refused.metadata().get("field"));
    }
    assertEquals(0, leases.fences().floor(disk));
    assertEquals(token, leases.fences().raise(disk, token, tx.next()));
    takeOver();
    long next = granted(acquire(wish("bob").key("b"))).token();
    assertEquals(next, leases.fences().raise(disk, next, tx.next()));
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
