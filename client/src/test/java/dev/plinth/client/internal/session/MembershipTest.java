package dev.plinth.client.internal.session;

import static dev.plinth.client.ScriptedRegistry.GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.MemberNameTakenException;
import dev.plinth.client.MembershipState;
import dev.plinth.client.ScriptedRegistry;
import dev.plinth.registry.v1.LostMember;
import dev.plinth.registry.v1.Member;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On a manual clock: 10 s of ttl, 9 s of which may be believed, a beat every 3 s. */
class MembershipTest {
  private final ScriptedRegistry registry = new ScriptedRegistry();
  private final List<String> told = new ArrayList<>();

  @AfterEach
  void close() {
    registry.close();
  }

  private Membership joined(String name) {
    Membership member = registry.join(name);
    member.listeners().on(MembershipState.JEOPARDY, of -> told.add("jeopardy"));
    member.listeners().on(MembershipState.LOST, of -> told.add("lost"));
    member.listeners().on(MembershipState.JOINED, of -> told.add("rejoined " + of));
    assertEquals(MembershipState.JOINED, member.state());
    return member;
  }

  @Test
  void membersOfAClient_shareOneSession_andItsBeats() {
    joined("ann");
    joined("bob");
    assertEquals(List.of("OpenSession", "Register ann", "Register bob"), registry.calls);
    registry.advance(30_000);
    assertEquals(10, registry.count("Beat s-1"));
    assertEquals(List.of(), told);
  }

  @Test
  void falseLiveness_lossIsToldByTheMonotonicClock_beforeTheServerCanDeclareDeath() {
    Membership ann = joined("ann");
    registry.advance(3000);
    registry.failure = Status.UNAVAILABLE;
    registry.advance(8999); // the server handled a beat at 3 s: nobody is dead before 13 s
    assertEquals(List.of("jeopardy"), told);
    registry.advance(1);
    assertEquals(List.of("jeopardy", "lost"), told);
    assertEquals(MembershipState.LOST, ann.state());
  }

  @Test
  void loss_isSeenByTheClockAlone_whileNoThreadRuns() {
    Membership ann = joined("ann");
    registry.stall(Duration.ofMillis(9000));
    assertEquals(MembershipState.LOST, ann.state());
  }

  @Test
  void sessionThatTheServerKept_isBackWithTheNextAnswer_inTheSameIncarnation() {
    Membership ann = joined("ann");
    long incarnation = ann.incarnation();
    registry.failure = Status.UNAVAILABLE;
    registry.advance(15_000);
    assertEquals(List.of("jeopardy", "lost"), told);
    registry.failure = Status.OK;
    registry.advance(3000);
    assertEquals(List.of("jeopardy", "lost", "rejoined " + incarnation), told);
    assertEquals(MembershipState.JOINED, ann.state());
    assertEquals(1, registry.count("OpenSession"));
    assertEquals(1, registry.count("Register"));
    registry.failure = Status.UNAVAILABLE;
    registry.advance(20_000);
    assertEquals("lost", told.get(told.size() - 1));
    assertEquals(MembershipState.LOST, ann.state());
  }

  @Test
  void sessionUnknown_isLost_thenRegisteredInANewSession_asANewIncarnation() {
    Membership ann = joined("ann");
    long before = ann.incarnation();
    joined("bob");
    registry.expire();
    registry.advance(3000);
    assertEquals(2, registry.count("OpenSession"));
    assertEquals(2, registry.count("Register ann"));
    assertEquals(2, registry.count("Register bob"));
    assertTrue(ann.incarnation() > before);
    assertEquals(4, told.size());
    assertEquals("lost", told.get(0));
    assertTrue(told.contains("rejoined " + ann.incarnation()));
    registry.advance(9000);
    assertEquals(3, registry.count("Beat s-2"));
  }

  @Test
  void sessionUnknown_afterALossByTheClock_isReplaced_too() {
    Membership ann = joined("ann");
    registry.failure = Status.UNAVAILABLE;
    registry.advance(25_000);
    registry.failure = Status.OK;
    registry.expire();
    registry.advance(3000);
    assertEquals(List.of("jeopardy", "lost", "rejoined " + ann.incarnation()), told);
    assertEquals(2, registry.count("OpenSession"));
  }

  @Test
  void ghostMember_registerInASessionThatIsGone_opensANewOne() {
    joined("ann");
    registry.expire();
    joined("bob");
    assertEquals("s-2", registry.members.get("bob").getSessionId());
    assertEquals("s-2", registry.members.get("ann").getSessionId());
  }

  @Test
  void memberThatABeatCallsLost_isRegisteredAgain_theOthersStay() {
    Membership ann = joined("ann");
    Membership bob = joined("bob");
    long before = bob.incarnation();
    registry.members.remove("ann");
    registry.lost.add(LostMember.newBuilder().setGroup(GROUP).setName("ann").build());
    registry.advance(3000);
    assertEquals(List.of("lost", "rejoined " + ann.incarnation()), told);
    assertEquals(before, bob.incarnation());
    assertEquals(1, registry.count("Register bob"));
  }

  @Test
  void answerToABeatFromBeforeARegistration_saysNothingOfIt() {
    joined("bob");
    registry.lost.add(LostMember.newBuilder().setGroup(GROUP).setName("ann").build());
    registry.holding = true;
    registry.advance(3000);
    assertEquals(1, registry.count("Beat"));
    registry.holding = false;
    registry.advance(1);
    // The beat above is on its way back; ann is registered meanwhile.
    List<String> calls = List.copyOf(registry.calls);
    Membership ann = joined("ann");
    long incarnation = ann.incarnation();
    registry.answer();
    assertEquals(incarnation, ann.incarnation());
    assertEquals(calls.size() + 1, registry.calls.size());
    assertEquals(List.of(), told);
  }

  @Test
  void memberThatIsMissing_isFound_thoughTheServerCannotNameIt() {
    Membership ann = joined("ann");
    Membership bob = joined("bob");
    long bobs = bob.incarnation();
    registry.members.remove("ann"); // by an owner of the shard that is gone
    registry.advance(3000);
    assertEquals(1, registry.count("GetMember ann"));
    assertEquals(List.of("lost", "rejoined " + ann.incarnation()), told);
    assertEquals(bobs, bob.incarnation());
    registry.advance(30_000);
    assertEquals(2, registry.count("GetMember"));
  }

  @Test
  void V15_machineThatSlept_isInJeopardy_asksAtOnce_andIsNoMemberUntilAnswered() {
    Membership ann = joined("ann");
    long incarnation = ann.incarnation();
    registry.holding = true;
    registry.clock.stepWall(Duration.ofMinutes(10));
    assertEquals(MembershipState.JEOPARDY, ann.state());
    assertEquals(0, ann.incarnation());
    registry.clock.runDue();
    assertEquals(1, registry.count("Beat"));
    registry.answer();
    assertEquals(MembershipState.JOINED, ann.state());
    assertEquals(incarnation, ann.incarnation());
  }

  @Test
  void nameThatIsTaken_failsTheJoin() {
    registry.members.put("ann", Member.newBuilder().setSessionId("s-other").build());
    Membership ann = registry.membership("ann", Membership.Observer.NONE);
    CompletableFuture<Void> joined = ann.begin();
    registry.clock.runDue();
    CompletionException thrown = assertThrows(CompletionException.class, joined::join);
    MemberNameTakenException taken =
        assertInstanceOf(MemberNameTakenException.class, thrown.getCause());
    assertEquals("s-other", taken.holder().getSessionId());
  }

  @Test
  void nameThatAnotherTookMeanwhile_isLeftToIt_untilItIsFree() {
    Membership ann = joined("ann");
    registry.expire();
    registry.members.put("ann", Member.newBuilder().setSessionId("s-other").build());
    registry.advance(30_000);
    assertEquals(List.of("lost"), told);
    assertTrue(registry.registrations.stream().noneMatch(each -> each.getReplace()));
    registry.members.clear();
    registry.advance(6000);
    assertEquals(List.of("lost", "rejoined " + ann.incarnation()), told);
  }

  @Test
  void refusedJoin_failsAtOnce_andIsNotRetried() {
    registry.failure = Status.PERMISSION_DENIED;
    Membership ann = registry.membership("ann", Membership.Observer.NONE);
    CompletableFuture<Void> joined = ann.begin();
    registry.clock.runDue();
    CompletionException thrown = assertThrows(CompletionException.class, joined::join);
    assertInstanceOf(CallFailedException.class, thrown.getCause());
  }

  @Test
  void joinWhileTheServerIsAway_succeedsWhenItIsBack_withOneRequestId() {
    registry.failure = Status.UNAVAILABLE;
    Membership ann = registry.membership("ann", Membership.Observer.NONE);
    CompletableFuture<Void> joined = ann.begin();
    registry.advance(8000);
    assertFalse(joined.isDone());
    registry.failure = Status.OK;
    registry.advance(6000);
    assertTrue(joined.isDone());
    assertEquals(1, registry.opened.size());
  }

  @Test
  void noBeatLeavesAfterTheLastMemberHasLeft() {
    Membership ann = joined("ann");
    Membership bob = joined("bob");
    ann.leave();
    registry.clock.runDue();
    assertEquals(1, registry.count("Deregister ann"));
    assertEquals(0, registry.count("CloseSession"));
    registry.advance(3000);
    assertEquals(1, registry.count("Beat"));
    CompletableFuture<Void> left = bob.leave();
    registry.clock.runDue();
    assertTrue(left.isDone());
    assertEquals("CloseSession s-1", registry.calls.get(registry.calls.size() - 1));
    int sent = registry.calls.size();
    registry.advance(60_000);
    assertEquals(sent, registry.calls.size());
    assertEquals(MembershipState.LEFT, bob.state());
    assertEquals(List.of(), told);
  }

  @Test
  void leaveWhileARegistrationIsOnItsWay_followsItsAnswer() {
    joined("bob");
    registry.holding = true;
    Membership ann = registry.join("ann");
    CompletableFuture<Void> left = ann.leave();
    registry.clock.runDue();
    assertEquals(0, registry.count("Deregister"));
    assertFalse(left.isDone());
    registry.answer();
    assertEquals(1, registry.count("Deregister ann"));
    assertTrue(left.isDone());
    assertEquals(List.of("bob"), List.copyOf(registry.members.keySet()));
  }

  @Test
  void joinAfterTheLastHasLeft_opensANewSession() {
    joined("ann").leave();
    registry.clock.runDue();
    joined("bob");
    assertEquals("s-2", registry.members.get("bob").getSessionId());
  }

  @Test
  void updates_areSentOneAtATime_andTheLastSaysEverything() {
    Membership ann = joined("ann");
    registry.holding = true;
    CompletableFuture<Void> drained = ann.update(now -> drained(now));
    ann.update(now -> weighing(now, 7));
    CompletableFuture<Void> weighed = ann.update(now -> weighing(now, 8));
    registry.clock.runDue();
    assertEquals(1, registry.updates.size());
    assertFalse(drained.isDone());
    registry.answer();
    assertEquals(2, registry.updates.size());
    assertEquals(8, registry.updates.get(1).getWeight());
    assertTrue(registry.updates.get(1).getDraining());
    assertTrue(weighed.isDone());
  }

  @Test
  void drainingMember_isDrainingInItsNextIncarnation() {
    Membership ann = joined("ann");
    ann.update(now -> drained(now));
    registry.clock.runDue();
    registry.expire();
    registry.advance(3000);
    assertEquals(2, registry.updates.size());
    assertEquals(ann.incarnation(), registry.updates.get(1).getIncarnation());
    assertTrue(registry.updates.get(1).getDraining());
  }

  @Test
  void updateThatIsRefused_fails_andIsForgotten() {
    Membership ann = joined("ann");
    registry.failure = Status.INVALID_ARGUMENT;
    CompletableFuture<Void> weighed = ann.update(now -> weighing(now, -1));
    registry.clock.runDue();
    assertTrue(weighed.isCompletedExceptionally());
    registry.failure = Status.OK;
    registry.expire();
    registry.advance(6000);
    assertFalse(registry.registrations.get(1).hasWeight());
  }

  @Test
  void callbackThatThrows_orIsRefused_stopsNoBeat() {
    Membership ann = registry.join("ann");
    ann.listeners()
        .on(
            MembershipState.LOST,
            of -> {
              throw new LinkageError("a callback's own");
            });
    registry.expire();
    registry.advance(3000);
    registry.callbacks =
        task -> {
          throw new RejectedExecutionException("full");
        };
    registry.expire();
    registry.advance(3000);
    assertEquals(MembershipState.JOINED, ann.state());
    registry.advance(9000);
    assertEquals(3, registry.count("Beat s-3"));
  }

  private static Membership.Desired drained(Membership.Desired now) {
    return new Membership.Desired(now.attributes(), true);
  }

  private static Membership.Desired weighing(Membership.Desired now, int weight) {
    return new Membership.Desired(
        now.attributes().toBuilder().setWeight(weight).build(), now.draining());
  }
}
