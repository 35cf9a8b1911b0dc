package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MembersTest extends CoreTest {
  private static MemberUpdate draining(boolean draining) {
    return new MemberUpdate(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(draining));
  }

  private static MemberUpdate weight(int weight) {
    return new MemberUpdate(
        Optional.empty(), Optional.empty(), Optional.of(weight), Optional.empty());
  }

  private MemberView update(MemberView member, MemberUpdate update, Optional<Long> expected) {
    return members.update(member.name(), member.incarnation(), update, expected, tx.next());
  }

  private Optional<MemberView> override(MemberName name, boolean outOfService) {
    return outOfService
        ? members.takeOutOfService(name, "olga", "bad disk", tx.next())
        : members.endOverride(name, tx.next());
  }

  @Test
  void register_eachTime_isANewIncarnation() {
    SessionKey session = open("a");
    MemberView first = register(WEB_1, session, Map.of("zone", "a"));
    MemberView second = register(WEB_1, session, Map.of("zone", "b"));
    assertTrue(second.incarnation() > first.incarnation());
    assertEquals(Map.of("zone", "b"), members.get(WEB_1).attributes().labels());
    assertEquals(Map.of("zone", "a"), changes().get(1).labelsBefore());
    assertEquals(1, beat(session).members());
    deregister(WEB_1, session);
    assertTrue(register(WEB_1, session).incarnation() > second.incarnation());
    takeOver();
    MemberView third = members.get(WEB_1);
    assertTrue(register(WEB_1, session).incarnation() > third.incarnation());
  }

  @Test
  void register_ofANameThatAnotherSessionHas_isTaken_unlessItIsSuspectOrReplaced() {
    SessionKey a = open("a");
    SessionKey b = open("b");
    MemberView first = register(WEB_1, a);
    RegisterResult taken = members.register(WEB_1, b, attributes(Map.of()), false, tx.next());
    assertEquals(first, assertInstanceOf(RegisterResult.Taken.class, taken).member());
    assertEquals(0, tx.writes());
    members.register(WEB_1, b, attributes(Map.of()), true, tx.next());
    assertEquals(b.id(), members.get(WEB_1).sessionId());
    assertEquals(told(0, WEB_1), beat(a), "it lost its member");
    clock.advance(Duration.ofSeconds(1));
    beat(a);
    clock.advance(TTL.minusSeconds(1));
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    register(WEB_1, a);
    assertEquals(told(1), beat(a));
  }

  @Test
  void register_inASuspectSession_isASignOfLife() {
    SessionKey session = open("a");
    register(WEB_1, session);
    clock.advance(TTL);
    assertEquals(MemberState.ALIVE, register(web(2), session).state());
    assertEquals(MemberState.ALIVE, state(WEB_1));
    clock.advance(TTL.minusMillis(1));
    assertEquals(2, count(MemberState.ALIVE));
  }

  @Test
  void register_inAnUnknownSession_isRefused() {
    refused(
        ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
        () -> register(WEB_1, new SessionKey(SPACE, "s-1", 1)));
    assertEquals(0, members.namespaces());
  }

  @Test
  void update_changesWhatIsGiven_underItsVersion() {
    MemberView member = register(WEB_1, open("a"), Map.of("zone", "a"));
    MemberView changed = update(member, weight(7), Optional.of(1L));
    assertEquals(7, changed.attributes().weight());
    assertEquals(Map.of("zone", "a"), changed.attributes().labels());
    assertEquals(2, changed.version());
    refused(
        ErrorReason.ERROR_REASON_REVISION_CONFLICT,
        () -> update(member, weight(8), Optional.of(1L)));
    assertEquals(3, update(member, weight(8), Optional.empty()).version());
  }

  @Test
  void update_draining_isAStateOfTheMember() {
    SessionKey session = open("a");
    MemberView member = register(WEB_1, session);
    clock.advance(Duration.ofSeconds(3));
    MemberView draining = update(member, draining(true), Optional.empty());
    assertEquals(MemberState.DRAINING, draining.state());
    assertEquals(clock.instant(), draining.status().since());
    clock.advance(TTL);
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    takeOver();
    beat(session);
    assertEquals(MemberState.DRAINING, state(WEB_1), "still");
    assertEquals(MemberState.ALIVE, update(member, draining(false), Optional.empty()).state());
  }

  @Test
  void ghostMember_replayOfAnEarlierIncarnation_loses() {
    SessionKey session = open("a");
    MemberView first = register(WEB_1, session);
    MemberView second = register(WEB_1, session);
    refused(
        ErrorReason.ERROR_REASON_INCARNATION_STALE,
        () -> update(first, draining(true), Optional.empty()));
    assertEquals(
        DeregisterResult.SUPERSEDED,
        members.deregister(
            WEB_1,
            session.id(),
            Optional.of(first.incarnation()),
            MemberEnd.deregistered(),
            tx.next()));
    assertEquals(0, tx.writes());
    deregister(WEB_1, session);
    takeOver();
    refused(
        ErrorReason.ERROR_REASON_INCARNATION_STALE,
        () -> update(second, draining(true), Optional.empty()));
    assertEquals(second.incarnation(), members.get(WEB_1).incarnation());
  }

  @Test
  void tombstone_isForgottenAfterTenMinutes() {
    SessionKey session = open("a");
    MemberView member = register(WEB_1, session);
    close(session);
    clock.advance(MemberTable.TOMBSTONE.minusMillis(1));
    assertEquals(MemberState.LEFT, state(WEB_1));
    clock.advance(Duration.ofMillis(1));
    refused(ErrorReason.ERROR_REASON_MEMBER_UNKNOWN, () -> members.get(WEB_1));
    refused(
        ErrorReason.ERROR_REASON_MEMBER_UNKNOWN,
        () -> update(member, draining(true), Optional.empty()));
    assertTrue(tx.rows().isEmpty());
    assertEquals(0, members.namespaces());
  }

  @Test
  void tombstone_ofANameInUseAgain_takesNothingWithIt() {
    SessionKey session = open("a");
    register(WEB_1, session);
    deregister(WEB_1, session);
    register(WEB_1, session);
    clock.advance(TTL.minusSeconds(1));
    for (int i = 0; i < 60; i++) {
      beat(session);
      clock.advance(TTL.minusSeconds(1));
    }
    assertEquals(MemberState.ALIVE, state(WEB_1));
  }

  @Test
  void deregister_ofNone_orOfAnothers_changesNothing() {
    SessionKey a = open("a");
    SessionKey b = open("b");
    assertEquals(DeregisterResult.GONE, deregister(WEB_1, a));
    register(WEB_1, a);
    assertEquals(DeregisterResult.SUPERSEDED, deregister(WEB_1, b));
    assertEquals(DeregisterResult.LEFT, deregister(WEB_1, a));
    assertEquals(DeregisterResult.GONE, deregister(WEB_1, a));
  }

  @Test
  void deregister_byForce_isToldToTheSession() {
    SessionKey session = open("a");
    register(WEB_1, session);
    MemberEnd how = MemberEnd.forced("olga", "stuck");
    assertEquals(
        DeregisterResult.LEFT, members.deregister(WEB_1, "", Optional.empty(), how, tx.next()));
    assertEquals(List.of(WEB_1), beat(session).lost());
    takeOver();
    MemberExplanation why = members.explain(WEB_1, tx);
    assertEquals("LEFT: olga deregistered it (stuck)", why.why());
    assertEquals(how, why.end().orElseThrow().end());
    deregister(WEB_1, session);
    register(WEB_1, session);
    assertEquals(List.of(), beat(session).lost());
  }

  @Test
  void override_survivesTheMember() {
    assertEquals(Optional.empty(), override(WEB_1, true));
    SessionKey session = open("a");
    assertEquals("olga", register(WEB_1, session).override().orElseThrow().actor());
    close(session);
    clock.advance(MemberTable.TOMBSTONE);
    takeOver();
    SessionKey next = open("b");
    assertTrue(register(WEB_1, next).override().isPresent());
    tx.events().clear();
    assertTrue(override(WEB_1, false).orElseThrow().override().isEmpty());
    assertEquals(List.of(MemberChange.Type.CHANGED), changeTypes());
    override(WEB_1, false);
    assertEquals(0, tx.writes());
    override(new MemberName("elsewhere", "web", "x"), false);
    assertEquals(1, members.namespaces(), "no trace");
  }

  @Test
  void explain_saysWhatComesNext() {
    SessionKey session = open("a");
    register(WEB_1, session);
    clock.advance(Duration.ofSeconds(5));
    MemberExplanation alive = members.explain(WEB_1, tx);
    assertEquals(
        "ALIVE: its session %s was heard of 5s ago (ttl 15s); without a beat it is SUSPECT in 10s"
            .formatted(session.id()),
        alive.why());
    assertEquals(Optional.of(Duration.ofSeconds(25)), alive.session().orElseThrow().deadIn());
    clock.advance(Duration.ofSeconds(10));
    assertEquals(
        "SUSPECT: its session %s was heard of 15s ago (ttl 15s); without a beat it is DEAD in 15s"
            .formatted(session.id()),
        members.explain(WEB_1, tx).why());
    takeOver();
    assertEquals(
        ("SUSPECT: the shard has a new owner, which has not heard of session %s yet (ttl 15s);"
                + " without a beat it is DEAD in 15s")
            .formatted(session.id()),
        members.explain(WEB_1, tx).why());
    clock.advance(TTL);
    override(WEB_1, true);
    MemberExplanation dead = members.explain(WEB_1, tx);
    assertEquals(
        "DEAD: its session was silent for two ttls; olga set it out of service (bad disk)",
        dead.why());
    assertEquals(MemberTable.TOMBSTONE, dead.end().orElseThrow().forgottenIn());
  }
}
