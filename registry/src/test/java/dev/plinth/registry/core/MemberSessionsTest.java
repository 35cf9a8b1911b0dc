package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.shards.Tx;
import dev.plinth.shards.fixture.LateTx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MemberSessionsTest extends CoreTest {
  @Test
  void ghostMember_beatOfAnUnknownSession_createsNothing() {
    SessionKey session = open("a");
    SessionKey wrong = new SessionKey(SPACE, session.id(), session.incarnation() + 1);
    SessionKey none = new SessionKey("elsewhere", "s-1", 1);
    int written = tx.written();
    int timers = tx.timers();
    refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> beat(wrong));
    refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> beat(none));
    assertEquals(written, tx.written());
    assertEquals(timers, tx.timers());
    assertEquals(1, members.namespaces(), "a beat leaves no trace");
    assertEquals(2, events.unknownBeats);
  }

  @Test
  void ghostMember_beatAfterTheEnd_bringsNothingBack() {
    SessionKey session = open("a");
    register(WEB_1, session);
    deregister(WEB_1, session);
    assertEquals(0, beat(session).members());
    assertEquals(MemberState.LEFT, state(WEB_1));
    register(web(2), session);
    close(session);
    refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> beat(session));
    assertEquals(MemberState.LEFT, state(web(2)));
    SessionKey silent = open("b");
    register(web(3), silent);
    clock.advance(TTL.multipliedBy(2));
    refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> beat(silent));
    assertEquals(MemberState.DEAD, state(web(3)));
  }

  @Test
  void beat_writesNothing_andSetsNoTimer() {
    SessionKey session = open("a");
    register(WEB_1, session);
    clock.advance(Duration.ofSeconds(1));
    int written = tx.written();
    int timers = tx.timers();
    for (int i = 0; i < 1000; i++) {
      assertEquals(1, beat(session).members());
    }
    assertEquals(written, tx.written());
    assertEquals(timers, tx.timers());
    assertEquals(1000, events.beats);
  }

  @Test
  void falseLiveness_silence_isSuspectAfterTheTtl_andDeadAfterTwo() {
    SessionKey session = open("a");
    register(WEB_1, session);
    clock.advance(TTL.minusNanos(1));
    assertEquals(MemberState.ALIVE, state(WEB_1));
    clock.advance(Duration.ofNanos(1));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    assertEquals(1, all().size(), "still served");
    clock.advance(TTL.minusNanos(1));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    clock.advance(Duration.ofNanos(1));
    assertEquals(MemberState.DEAD, state(WEB_1));
    assertEquals(0, all().size());
    assertEquals(
        List.of(MemberChange.Type.REGISTERED, MemberChange.Type.CHANGED, MemberChange.Type.DEAD),
        changeTypes());
    assertEquals(0, events.sessions);
  }

  @Test
  void falseDeath_beatInTime_keepsAlive() {
    SessionKey session = open("a");
    register(WEB_1, session);
    for (int i = 0; i < 50; i++) {
      clock.advance(TTL.minusMillis(1));
      beat(session);
      assertEquals(MemberState.ALIVE, state(WEB_1));
    }
    assertEquals(1, tx.events().size());
  }

  @Test
  void beat_inSuspect_revives() {
    SessionKey session = open("a");
    register(WEB_1, session);
    clock.advance(TTL.plusSeconds(14));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    beat(session);
    assertEquals(MemberState.ALIVE, state(WEB_1));
    assertEquals(MemberState.ALIVE, changes().get(2).member().state());
    clock.advance(TTL.minusMillis(1));
    assertEquals(MemberState.ALIVE, state(WEB_1));
    clock.advance(Duration.ofMillis(1));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
  }

  @Test
  void falseDeath_newOwner_givesAFullTtl() {
    SessionKey alive = open("a");
    register(WEB_1, alive);
    clock.advance(Duration.ofSeconds(14));
    takeOver();
    clock.advance(TTL.minusMillis(1));
    assertEquals(MemberState.ALIVE, state(WEB_1));
    clock.advance(Duration.ofMillis(1));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    clock.advance(TTL.minusMillis(1));
    takeOver();
    assertEquals(MemberState.SUSPECT, state(WEB_1), "told to watchers, so stored");
    clock.advance(TTL.minusMillis(1));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    beat(alive);
    assertEquals(MemberState.ALIVE, state(WEB_1));
  }

  @Test
  void falseDeath_lateTimer_givesTheTimeBackOnce() {
    SessionKey key = open("a");
    register(WEB_1, key);
    clock.advance(TTL);
    MemberSession session = members.sessions().require(key);
    Tx late = new LateTx(tx, TTL.plusSeconds(5));
    members.sessions().check(session, late);
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    assertEquals(1, events.excused);
    session.cancelTimer();
    members.sessions().check(session, new LateTx(tx, TTL.plusSeconds(20)));
    assertEquals(MemberState.DEAD, state(WEB_1), "once, not for ever");
  }

  @Test
  void falseDeath_lateSuspicion_leavesAFullTtl() {
    SessionKey key = open("a");
    register(WEB_1, key);
    clock.advance(Duration.ofSeconds(1));
    MemberSession session = members.sessions().require(key);
    session.cancelTimer();
    members.sessions().check(session, new LateTx(tx, TTL.multipliedBy(9)));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    clock.advance(TTL.multipliedBy(10).minusMillis(1));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    clock.advance(Duration.ofMillis(1));
    assertEquals(MemberState.DEAD, state(WEB_1));
  }

  @Test
  void brokenStream_thatBroughtTheLastBeat_isSuspectAtOnce_andDeadNoSooner() {
    SessionKey session = open("a");
    register(WEB_1, session);
    SessionKeeper stream = last -> {};
    members.sessions().keep(session, stream);
    members.sessions().beat(session, stream, tx.next());
    clock.advance(Duration.ofSeconds(1));
    members.sessions().broken(session, stream, tx.next());
    clock.runDue();
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    clock.advance(TTL.multipliedBy(2).minusSeconds(1).minusMillis(1));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    clock.advance(Duration.ofMillis(1));
    assertEquals(MemberState.DEAD, state(WEB_1));
  }

  @Test
  void brokenStream_afterABeatByAnotherWay_changesNothing() {
    SessionKey session = open("a");
    register(WEB_1, session);
    SessionKeeper first = last -> {};
    SessionKeeper second =
        new SessionKeeper() {
          @Override
          public void ended(Tx last) {}
        };
    members.sessions().keep(session, first);
    members.sessions().beat(session, first, tx.next());
    members.sessions().keep(session, second);
    members.sessions().beat(session, second, tx.next());
    members.sessions().broken(session, first, tx.next());
    clock.runDue();
    assertEquals(MemberState.ALIVE, state(WEB_1));
    members.sessions().broken(session, second, tx.next());
    beat(session);
    assertEquals(MemberState.ALIVE, state(WEB_1), "heard of before the break was decided on");
  }

  @Test
  void brokenStream_whileItsBeatRevives_staysSuspect_andStillDies() {
    SessionKey session = open("a");
    register(WEB_1, session);
    SessionKeeper stream = last -> {};
    members.sessions().keep(session, stream);
    clock.advance(TTL);
    members.sessions().beat(session, stream, tx.next());
    members.sessions().broken(session, stream, tx.next());
    clock.runDue();
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    clock.advance(TTL.multipliedBy(2));
    assertEquals(MemberState.DEAD, state(WEB_1));
  }

  @Test
  void close_endsAllMembers_andTellsTheStream() {
    SessionKey session = open("a");
    register(WEB_1, session);
    register(web(2), session);
    AtomicBoolean ended = new AtomicBoolean();
    members.sessions().keep(session, last -> ended.set(true));
    assertEquals(2, close(session));
    assertTrue(ended.get());
    assertEquals(MemberState.LEFT, state(web(2)));
    assertEquals(0, close(session), "again: it was not open");
    clock.advance(TTL.multipliedBy(3));
    assertEquals(2, events.ended.get(MemberEnd.Cause.SESSION_CLOSED));
  }

  @Test
  void close_ofManyMembers_goesOnWithTheNextOwner() {
    SessionKey session = open("a");
    for (int i = 0; i < 200; i++) {
      register(web(i), session);
    }
    tx.events().clear();
    assertNull(close(session), "more than one commit takes");
    assertTrue(tx.writes() <= 127);
    refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> beat(session));
    takeOver();
    refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> beat(session));
    clock.runDue();
    assertEquals(0, all().size());
    assertEquals(0, events.sessions);
    assertEquals(
        200, changes().stream().map(MemberChange::member).map(MemberView::name).distinct().count());
    assertEquals(200, tx.events().size(), "each once");
  }

  @Test
  void session_withoutMembers_endsToo() {
    SessionKey session = open("a");
    clock.advance(TTL.multipliedBy(2));
    refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> beat(session));
    assertEquals(0, members.namespaces());
    assertTrue(tx.rows().isEmpty());
  }
}
