package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExpiryHoldTest extends CoreTest {
  private final List<SessionKey> sessions = new ArrayList<>();

  private void openWith(int count) {
    for (int i = 0; i < count; i++) {
      sessions.add(open("client-" + i));
      register(web(i), sessions.get(i));
    }
  }

  private int dead() {
    return sessions.size() - all().size();
  }

  @Test
  void falseDeath_massExpiry_isHeldBackByTheBudget() {
    openWith(100);
    clock.advance(TTL.multipliedBy(2));
    assertEquals(15, dead());
    assertEquals(85, count(MemberState.SUSPECT));
    assertEquals(85, events.held);
    assertEquals(85, members.list(request()).held());
    assertTrue(all().stream().allMatch(member -> member.status().held()));
    clock.advance(TTL.minusMillis(1));
    assertEquals(15, dead());
    clock.advance(Duration.ofMillis(1));
    assertEquals(15 + 12, dead(), "15 % of the 85 that are left");
  }

  private MemberPage.Request request() {
    return new MemberPage.Request(SPACE, "web", List.of(), MemberPage.Position.START, 10);
  }

  @Test
  void falseLiveness_theHoldEndsAfterThreeTtls() {
    openWith(100);
    clock.advance(TTL.multipliedBy(5).minusMillis(1));
    assertTrue(count(MemberState.SUSPECT) > 50);
    clock.advance(Duration.ofMillis(1));
    assertEquals(100, dead());
    assertEquals(0, events.held);
    assertTrue(events.ended.get(MemberEnd.Cause.HOLD_OVER) > 50);
    assertEquals(0, events.sessions);
  }

  @Test
  void release_endsTheHoldAtOnce() {
    openWith(100);
    clock.advance(TTL.multipliedBy(2));
    Integer released = release("web");
    clock.runDue();
    assertEquals(100, dead());
    assertEquals(85, events.ended.get(MemberEnd.Cause.HOLD_RELEASED));
    assertEquals(null, released, "85 rows of members and as many of sessions take two commits");
    assertEquals(0, release("web"));
    assertEquals(0, release("none"));
  }

  @Test
  void release_ofFew_isAnsweredAtOnce() {
    openWith(5);
    clock.advance(TTL.multipliedBy(2));
    assertEquals(1, dead());
    assertEquals(4, release("web"));
    assertEquals(5, dead());
  }

  @Test
  void aHeldMember_thatBeats_isAliveAgain() {
    openWith(10);
    clock.advance(TTL.multipliedBy(4));
    SessionKey heard =
        sessions.stream()
            .filter(key -> all().stream().anyMatch(m -> m.sessionId().equals(key.id())))
            .findFirst()
            .orElseThrow();
    assertEquals(told(1), beat(heard));
    assertEquals(1, count(MemberState.ALIVE));
    clock.advance(TTL.minusMillis(1));
    assertEquals(1, count(MemberState.ALIVE));
    clock.advance(Duration.ofMillis(1));
    assertEquals(1, all().size(), "the hold of the others is over");
    assertEquals(heard.id(), all().get(0).sessionId());
  }

  @Test
  void aSession_someOfWhoseMembersDied_livesOnWithTheRest() {
    SessionKey session = open("a");
    for (int i = 0; i < 10; i++) {
      register(web(i), session);
    }
    clock.advance(TTL.multipliedBy(2));
    BeatResult told = beat(session);
    assertEquals(9, told.members());
    assertEquals(1, told.lost().size());
    assertEquals(9, count(MemberState.ALIVE));
    assertEquals(MemberState.DEAD, state(told.lost().get(0)), "and stays so");
  }

  @Test
  void aSmallGroup_losesOneAtATime() {
    openWith(3);
    clock.advance(TTL.multipliedBy(2));
    assertEquals(1, dead());
    clock.advance(TTL);
    assertEquals(2, dead());
    clock.advance(TTL);
    assertEquals(3, dead());
    assertEquals(3, events.ended.get(MemberEnd.Cause.EXPIRED));
  }

  @Test
  void aLoneMember_isNotHeld_andGroupsDoNotCountForEachOther() {
    openWith(2);
    SessionKey other = open("b");
    register(new MemberName(SPACE, "db", "db-1"), other);
    clock.advance(TTL.multipliedBy(2));
    assertEquals(MemberState.DEAD, state(new MemberName(SPACE, "db", "db-1")));
    assertEquals(1, all().size());
  }

  @Test
  void newOwner_beginsAnew() {
    openWith(100);
    clock.advance(TTL.multipliedBy(2));
    takeOver();
    assertEquals(85, count(MemberState.SUSPECT));
    assertEquals(0, events.held);
    clock.advance(TTL.minusMillis(1));
    assertEquals(15, dead());
    clock.advance(Duration.ofMillis(1));
    assertEquals(15 + 12, dead());
    clock.advance(TTL.multipliedBy(3));
    assertEquals(100, dead());
  }

  @Test
  void explain_tellsOfTheHold() {
    openWith(100);
    clock.advance(TTL.multipliedBy(2));
    MemberName held = all().get(0).name();
    MemberExplanation why = members.explain(held, tx);
    assertEquals(
        new MemberExplanation.HoldDetail(85, 15, 15, Optional.of(TTL.multipliedBy(3))),
        why.hold().orElseThrow());
    assertEquals(
        ("SUSPECT and held back: its session %s was heard of 30s ago (ttl 15s), but 15 of its"
                + " group expired lately and 15 may; in 45s at most it is DEAD")
            .formatted(all().get(0).sessionId()),
        why.why());
    assertEquals(Optional.empty(), why.session().orElseThrow().deadIn());
  }
}
