package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.partition.PartitionAssignment;
import dev.plinth.registry.partition.PartitionGroupSummary;
import dev.plinth.registry.partition.PartitionReleases;
import dev.plinth.registry.partition.PartitionState;
import dev.plinth.registry.partition.PartitionToken;
import dev.plinth.registry.partition.PartitionView;
import dev.plinth.registry.partition.ReleaseOutcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who shares a group's partitions, and how they are handed over. */
class PartitionGroupsTest extends PartitionCoreTest {
  @Test
  void join_theFirst_getsAll() {
    SessionKey a = open("a");
    register(WEB_1, a);
    assertEquals(new PartitionGroupSummary(3, 1, 0, 0), join(1, a, 3));
    assertEquals(Map.of("web-1", 3L), shares());
    PartitionAssignment assignment = members.partitions().assignment(key(1, a));
    assertEquals(3, assignment.count());
    assertEquals(1, assignment.members());
    assertEquals(0, assignment.revoked());
    assertEquals(List.of(0, 1, 2), numbers(assignment.owned()));
    assertEquals(a.id(), partition(0).sessionId());
    assertEquals(3, partitionEvents.assigned);
  }

  private static List<Integer> numbers(List<PartitionView> views) {
    return views.stream().map(PartitionView::partition).toList();
  }

  @Test
  void join_ofASecond_getsOnlyWhatTheFirstReleases_withHigherTokens() {
    SessionKey a = joined(1, 5);
    SessionKey b = joined(2, 5);
    assertEquals(Map.of("web-1", 5L), shares(), "a may still act for all of it");
    List<PartitionView> revoked = revoked(1, a);
    assertEquals(2, revoked.size());
    assertEquals(List.of(), owned(2, b));
    assertEquals(
        new PartitionReleases(List.of(ReleaseOutcome.RELEASED), 1),
        release(1, a, revoked.subList(0, 1)));
    assertEquals(List.of(revoked.get(0).partition()), numbers(owned(2, b)));
    releaseRevoked(1, a);
    assertEquals(Map.of("web-1", 3L, "web-2", 2L), shares());
    for (PartitionView was : revoked) {
      assertTrue(partition(was.partition()).token() > was.token());
    }
    assertEquals(Map.of(PartitionState.ASSIGNED, 5L), states());
  }

  @Test
  void join_again_changesNothing() {
    SessionKey a = joined(1, 4);
    int written = tx.written();
    assertEquals(new PartitionGroupSummary(4, 1, 0, 0), join(1, a, 4));
    assertEquals(written, tx.written());
  }

  @Test
  void join_withAnotherCount_isRefused_untilTheLastIsGone() {
    SessionKey a = joined(1, 4);
    SessionKey b = open("b");
    register(web(2), b);
    int written = tx.written();
    var refusal = refused(ErrorReason.ERROR_REASON_DEFINITION_FIXED, () -> join(2, b, 5));
    assertEquals("4", refusal.metadata().get("current"));
    refused(ErrorReason.ERROR_REASON_DEFINITION_FIXED, () -> join(1, a, 5));
    assertEquals(written, tx.written());
    assertEquals(4, leave(1, a));
    assertEquals(0, summary().count());
    assertEquals(5, join(2, b, 5).count());
  }

  @Test
  void join_ofOneThatIsNotRegisteredInTheSession_isRefused() {
    SessionKey a = open("a");
    SessionKey b = open("b");
    refused(ErrorReason.ERROR_REASON_MEMBER_UNKNOWN, () -> join(1, a, 4));
    register(WEB_1, a);
    refused(ErrorReason.ERROR_REASON_INCARNATION_STALE, () -> join(1, b, 4));
    refused(
        ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
        () -> join(1, new SessionKey(SPACE, a.id(), a.incarnation() + 1), 4));
    deregister(WEB_1, a);
    refused(ErrorReason.ERROR_REASON_MEMBER_UNKNOWN, () -> join(1, a, 4));
    assertEquals(0, partitionEvents.groups);
  }

  @Test
  void release_needsTheTokenOfARevokedPartition() {
    SessionKey a = joined(1, 4);
    SessionKey b = joined(2, 4);
    PartitionView revoked = revoked(1, a).get(0);
    PartitionView kept =
        owned(1, a).stream().filter(v -> v.state() == PartitionState.ASSIGNED).findAny().get();
    List<PartitionToken> tokens =
        List.of(
            new PartitionToken(kept.partition(), kept.token()),
            new PartitionToken(revoked.partition(), revoked.token() - 1),
            new PartitionToken(4000, 1));
    int written = tx.written();
    assertEquals(
        List.of(ReleaseOutcome.NOT_REVOKED, ReleaseOutcome.NOT_OWNED, ReleaseOutcome.NOT_OWNED),
        members.partitions().release(key(1, a), tokens, tx.next()).outcomes());
    refused(ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED, () -> release(3, a, List.of(revoked)));
    assertEquals(
        List.of(ReleaseOutcome.NOT_OWNED), release(2, b, List.of(revoked)).outcomes(), "not b's");
    assertEquals(written, tx.written());
    assertEquals(List.of(ReleaseOutcome.RELEASED), release(1, a, List.of(revoked)).outcomes());
    assertEquals(List.of(ReleaseOutcome.NOT_OWNED), release(1, a, List.of(revoked)).outcomes());
    assertEquals(1, partitionEvents.released);
  }

  @Test
  void revocation_thatIsNotReleased_isOverdue_andTheOwnerKeepsIt() {
    SessionKey a = joined(1, 2);
    SessionKey b = joined(2, 2);
    int number = revoked(1, a).get(0).partition();
    keepAlive(29, a, b);
    assertEquals(0, partitionEvents.overdue);
    assertEquals(1, summary().revoked());
    keepAlive(1, a, b);
    assertEquals(1, partitionEvents.overdue);
    assertEquals(1, summary().overdue());
    assertTrue(partition(number).overdue());
    assertEquals(
        "REVOKED: web-1 of session "
            + a.id()
            + " is to release it, since another member is to have it; it has not for 30.0s"
            + " (expected: 30.0s at most) and keeps it until it does, leaves, or is DEAD",
        why(number));
    keepAlive(600, a, b);
    assertEquals(Map.of("web-1", 2L), shares(), "no hand-over by force");
    takeOver();
    assertEquals(0, partitionEvents.overdue, "a new owner counts anew");
    keepAlive(30, a, b);
    assertEquals(1, partitionEvents.overdue);
    releaseRevoked(1, a);
    assertEquals(0, partitionEvents.overdue);
    assertEquals(0, partitionEvents.unreleased);
    assertEquals(Map.of("web-1", 1L, "web-2", 1L), shares());
  }

  private void keepAlive(int seconds, SessionKey... sessions) {
    for (int i = 0; i < seconds; i++) {
      clock.advance(Duration.ofSeconds(1));
      for (SessionKey session : sessions) {
        beat(session);
      }
    }
  }

  @Test
  void suspect_keepsItsPartitions_deadDoesNot() {
    joined(1, 4);
    SessionKey b = joined(2, 4);
    clock.advance(TTL);
    beat(b);
    assertEquals(MemberState.SUSPECT, state(WEB_1));
    assertEquals(Map.of("web-1", 4L), shares());
    clock.advance(TTL.minusMillis(1));
    assertEquals(Map.of("web-1", 4L), shares());
    beat(b);
    clock.advance(Duration.ofMillis(1));
    assertEquals(MemberState.DEAD, state(WEB_1));
    assertEquals(Map.of("web-2", 4L), shares());
    assertEquals(4, partitionEvents.orphaned);
  }

  @Test
  void massExpiry_whoIsHeldBack_keepsItsPartitions() {
    Map<Integer, SessionKey> all = new HashMap<>();
    for (int i = 0; i < 10; i++) {
      all.put(i, joined(i, 20));
      all.forEach(this::releaseRevoked);
    }
    SessionKey watcher = all.get(9);
    for (int i = 0; i < 2; i++) {
      clock.advance(TTL.minusMillis(1));
      beat(watcher);
      clock.advance(Duration.ofMillis(1));
    }
    assertEquals(8, events.held);
    assertEquals(9, shares().size(), "one is dead");
    shares().forEach((name, share) -> assertTrue(share >= 2, name + " lost some of its own"));
    release("web");
    clock.runDue();
    assertEquals(Map.of("web-9", 20L), shares());
  }

  @Test
  void leave_letsGoOfAll_once() {
    SessionKey a = joined(1, 4);
    SessionKey b = joined(2, 4);
    assertEquals(4, leave(1, a));
    assertEquals(Map.of("web-2", 4L), shares());
    assertEquals(-1, leave(1, a));
    assertEquals(MemberState.ALIVE, state(WEB_1));
    refused(ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED, () -> owned(1, a));
    assertEquals(4, leave(2, b));
    assertEquals(List.of(), partitions("web"));
    assertEquals(
        List.of(), tx.rows().keySet().stream().filter(k -> k.matches("registry/[gjp].*")).toList());
  }

  @Test
  void revoked_isFinal_andGoesBackWithANewToken() {
    SessionKey a = joined(1, 2);
    SessionKey b = joined(2, 2);
    PartitionView revoked = revoked(1, a).get(0);
    leave(2, b);
    assertEquals(PartitionState.REVOKED, partition(revoked.partition()).state());
    releaseRevoked(1, a);
    PartitionView again = partition(revoked.partition());
    assertEquals("web-1", again.owner());
    assertTrue(again.token() > revoked.token());
  }

  @Test
  void draining_givesAllAway_ifSomebodyTakesIt() {
    SessionKey a = joined(1, 4);
    drain(1, true);
    assertEquals(Map.of(PartitionState.ASSIGNED, 4L), states(), "nobody else is there");
    SessionKey b = joined(2, 4);
    assertEquals(Map.of(PartitionState.REVOKED, 4L), states());
    assertTrue(why(0).contains("it is DRAINING"), why(0));
    releaseRevoked(1, a);
    assertEquals(Map.of("web-2", 4L), shares());
    drain(1, false);
    assertEquals(2, releaseRevoked(2, b));
    assertEquals(Map.of("web-1", 2L, "web-2", 2L), shares());
  }

  @Test
  void draining_lastsOverATakeover_andEndsWithARegistrationAnew() {
    SessionKey a = joined(1, 4);
    drain(1, true);
    takeOver();
    SessionKey b = joined(2, 4);
    assertEquals(4, releaseRevoked(1, a));
    register(WEB_1, a);
    clock.runDue();
    assertEquals(2, releaseRevoked(2, b));
    assertEquals(Map.of("web-1", 2L, "web-2", 2L), shares());
  }

  @Test
  void registrationAnew_inTheSameSession_keepsThePartitions() {
    SessionKey a = joined(1, 4);
    List<PartitionView> before = owned(1, a);
    register(WEB_1, a);
    clock.runDue();
    assertEquals(before, owned(1, a));
    takeOver();
    assertEquals(before, owned(1, a));
  }

  @Test
  void nameThatAnotherSessionTook_theFormerOwnerKeepsItsPartitions_untilItReleasesThem() {
    SessionKey a = joined(1, 4);
    SessionKey b = supersede(a);
    assertEquals(PartitionState.REVOKED, partition(0).state());
    assertEquals(a.id(), partition(0).sessionId());
    assertTrue(why(0).contains("another session has its name"), why(0));
    assertEquals(1, summary().members());
    takeOver();
    clock.runDue();
    assertEquals(List.of(), owned(1, b));
    assertEquals(4, releaseRevoked(1, a));
    assertEquals(4, owned(1, b).size());
    refused(ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED, () -> owned(1, a));
  }

  /** Another process with the same name, which has joined. */
  private SessionKey supersede(SessionKey former) {
    SessionKey b = open("web-1 restarted");
    RegisterResult result = members.register(WEB_1, b, attributes(Map.of()), true, tx.next());
    assertNotEquals(former.id(), result.member().sessionId());
    join(1, b, summary().count());
    return b;
  }

  @Test
  void nameThatAnotherSessionTook_theFormerOwnerIsGone_whenItsSessionIs() {
    SessionKey a = joined(1, 4);
    SessionKey b = supersede(a);
    for (int i = 0; i < 29; i++) {
      clock.advance(Duration.ofSeconds(1));
      beat(b);
    }
    assertEquals(List.of(), owned(1, b), "its process may still act");
    clock.advance(Duration.ofSeconds(1));
    assertEquals(4, owned(1, b).size());
    SessionKey c = supersede(b);
    close(b);
    clock.runDue();
    assertEquals(4, owned(1, c).size());
    SessionKey d = supersede(c);
    assertEquals(4, leave(1, c));
    assertEquals(4, owned(1, d).size());
  }

  @Test
  void sessionThatEnded_withATakeoverBeforeItsPartitionsMoved_isNotForgotten() {
    SessionKey a = joined(1, 4);
    SessionKey b = supersede(a);
    close(a);
    takeOver();
    assertEquals(a.id(), partition(0).sessionId(), "not moved yet");
    clock.runDue();
    assertEquals(4, owned(1, b).size());
    assertEquals(1, tx.rows().keySet().stream().filter(k -> k.startsWith("registry/j/")).count());
  }

  @Test
  void nameTakenBack_theFormerOwnerJoinsAgain_withWhatItHas() {
    SessionKey a = joined(1, 4);
    SessionKey b = supersede(a);
    members.register(WEB_1, a, attributes(Map.of()), true, tx.next());
    clock.runDue();
    assertEquals(1, join(1, a, 4).members(), "b has nothing, so nothing is kept of it");
    assertEquals(4, releaseRevoked(1, a));
    assertEquals(4, owned(1, a).size());
    refused(ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED, () -> owned(1, b));
    close(a);
    clock.runDue();
    assertEquals(0, partitionEvents.groups);
  }

  @Test
  void explanation_saysWhoHasIt_orWhyNobodyDoes() {
    SessionKey a = joined(1, 4);
    assertEquals(
        "ASSIGNED: web-1 of session " + a.id() + " has 4 of 4 partitions, which 1 members share",
        why(3));
    drain(1, true);
    SessionKey b = joined(2, 4);
    drain(2, true);
    releaseRevoked(1, a);
    assertEquals(
        "FREE: no member of the group takes partitions; it is assigned when one does", why(3));
    close(b);
    refused(ErrorReason.ERROR_REASON_PARTITION_UNKNOWN, () -> why(4));
    assertEquals(Map.of("", 4L), shares());
    assertEquals(4, partitionEvents.free);
  }

  @Test
  void rows_areReadable() {
    SessionKey a = joined(1, 2);
    joined(2, 2);
    assertEquals("v1 2", tx.row("registry/g/default/web"));
    String member =
        tx.rows().keySet().stream().filter(k -> k.startsWith("registry/j/")).findFirst().get();
    assertEquals("v1 web-1 " + a.id() + " JOINED", tx.row(member));
    PartitionView view = partition(1);
    assertEquals(
        "v1 " + member.substring(23) + " " + view.token() + " REVOKED 1767225600000",
        tx.row("registry/p/default/web/0001"));
  }
}
