package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.core.TrackResult.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Devices in rooms: tracked, untracked, and gone with their session or their owner. */
class PresencesTest extends PresenceCoreTest {
  private static final DeviceName PHONE = device("ann", "phone");

  @Test
  void track_isListedAndCounted_withEveryDeviceOfAKey() {
    SessionKey a = open("a");
    SessionKey b = open("b");
    track(a, "bob");
    PresenceView phone = track(a, "ann");
    track(a, device("ann", "laptop"), "away", nextSeq());
    track(b, "ann");
    assertEquals(List.of("ann", "ann", "ann", "bob"), keys());
    assertEquals(List.of(2, 4), List.of(count().keys(), count().devices()));
    assertEquals(3, beat(a).presences());
    assertEquals(1, beat(b).presences());
    PresencePage anns = presences().list(request(ROOM, "ann", DevicePosition.START, 2), tx);
    assertEquals(2, anns.devices().size());
    PresencePage rest = presences().list(request(ROOM, "ann", anns.next().orElseThrow(), 2), tx);
    assertEquals(List.of("ann"), rest.devices().stream().map(v -> v.at().key()).toList());
    assertEquals(Optional.empty(), rest.next());
    assertTrue(list(ROOM).contains(phone));
    assertEquals(List.of(), list("elsewhere"));
    int written = tx.written();
    track(a, "cid");
    untrack(a, "cid");
    assertEquals(written, tx.written(), "nothing of it is stored");
  }

  @Test
  void track_again_changesTheMeta_andIsTheSameDevice() {
    SessionKey session = open("a");
    PresenceView first = track(session, "ann", "here");
    clock.advance(Duration.ofSeconds(1));
    PresenceView second = track(session, "ann", "away");
    assertEquals(Map.of("status", "away"), second.meta());
    assertEquals(first.joinedAt(), second.joinedAt());
    assertEquals(first.joinVersion(), second.joinVersion());
    assertTrue(second.version() > first.version());
    assertEquals(second, track(session, "ann", "away"), "the same again is no change");
    assertEquals(1, count().devices());
  }

  @Test
  void replayOfTrack_getsTheFirstAnswer_andWithOtherContentIsRefused() {
    SessionKey session = open("a");
    TrackResult first = track(session, PHONE, "here", 5);
    assertEquals(first, track(session, PHONE, "here", 5));
    refused(ErrorReason.ERROR_REASON_FIELD_INVALID, () -> track(session, PHONE, "elsewhere", 5));
    TrackResult later = track(session, PHONE, "away", 6);
    assertEquals(new TrackResult(Outcome.STALE, later.device()), track(session, PHONE, "here", 5));
    assertEquals(Map.of("status", "away"), list(ROOM).get(0).meta());
  }

  @Test
  void replayOfUntrack_getsTheFirstAnswer_andEndsNothingThatCameLater() {
    SessionKey session = open("a");
    track(session, PHONE, "here", 1);
    assertEquals(UntrackResult.STALE, untrack(session, PHONE, 1));
    assertEquals(UntrackResult.LEFT, untrack(session, PHONE, 2));
    assertEquals(UntrackResult.LEFT, untrack(session, PHONE, 2));
    assertEquals(UntrackResult.GONE, untrack(session, PHONE, 1));
    assertEquals(UntrackResult.GONE, untrack(session, PHONE, 3));
    track(session, PHONE, "here", 4);
    assertEquals(UntrackResult.STALE, untrack(session, PHONE, 3));
    assertEquals(1, count().devices());
  }

  @Test
  void ghostMember_trackThatIsLate_doesNotBringBackWhoWasUntracked() {
    SessionKey session = open("a");
    track(session, PHONE, "here", 1);
    untrack(session, PHONE, 2);
    assertEquals(Outcome.STALE, track(session, PHONE, "here", 1).outcome());
    untrack(session, device("bob", ""), 4);
    assertEquals(Outcome.STALE, track(session, device("bob", ""), "here", 3).outcome());
    assertEquals(0, count().devices());
    assertEquals(Outcome.TRACKED, track(session, PHONE, "here", 5).outcome());
  }

  @Test
  void ghostMember_moreAreUntrackedThanAreRemembered_andNoneComesBack() {
    SessionKey session = open("a");
    int many = SessionPresences.MAX_UNTRACKED + 10;
    for (int i = 0; i < many; i++) {
      track(session, device("k" + i, ""), "here", 2 * i + 1);
      untrack(session, device("k" + i, ""), 2 * i + 2);
    }
    for (int i = 0; i < many; i++) {
      assertEquals(Outcome.STALE, track(session, device("k" + i, ""), "here", 2 * i + 1).outcome());
    }
    assertEquals(
        Outcome.STALE,
        track(session, device("new", ""), "here", 2).outcome(),
        "as old as one that was forgotten");
    assertEquals(Outcome.TRACKED, track(session, device("k0", ""), "here", 3 * many).outcome());
  }

  @Test
  void ghostMember_trackOfAnEndedSession_isRefused() {
    SessionKey closed = open("a");
    SessionKey silent = open("b");
    track(closed, "ann");
    track(silent, "bob");
    close(closed);
    assertEquals(List.of("bob"), keys());
    clock.advance(TTL.multipliedBy(2));
    assertEquals(List.of(), keys());
    for (SessionKey ended : List.of(closed, silent)) {
      refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> track(ended, "ann"));
      refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> untrack(ended, "ann"));
    }
    assertEquals(0, presences().namespaces());
  }

  @Test
  void ghostMember_sessionThatClosesInSteps_tracksNothingMore() {
    SessionKey session = open("a");
    for (int i = 0; i < 2 * MemberGroup.MAX_WRITES; i++) {
      register(web(i), session);
    }
    track(session, "ann");
    close(session);
    assertEquals(List.of(), keys(), "from the first step on");
    refused(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, () -> track(session, "ann"));
    clock.runDue();
  }

  @Test
  void ghostMember_trackFromBeforeATakeover_hasNoEffect() {
    SessionKey session = open("a");
    long before = presences().epoch();
    track(session, PHONE, "here", 1);
    untrack(session, PHONE, 2);
    takeOver();
    assertNotEquals(before, presences().epoch());
    TrackResult late =
        presences().track(session, PHONE, Map.of("status", "here"), before, 1, tx.next());
    assertEquals(new TrackResult(Outcome.EPOCH_CHANGED, Optional.empty()), late);
    assertEquals(0, count().devices());
  }

  @Test
  void falseLiveness_silentSession_isGoneAfterTwoTtls_andNotForWhatItTracks() {
    SessionKey session = open("a");
    track(session, "ann");
    clock.advance(TTL.multipliedBy(2).minusSeconds(1));
    track(session, "ann", "away");
    assertEquals(List.of("ann"), keys(), "as long as its session");
    clock.advance(Duration.ofSeconds(1));
    assertEquals(List.of(), keys(), "to track is no beat");
  }

  @Test
  void falseDeath_sessionThatBeats_keepsItsDevices() {
    SessionKey session = open("a");
    track(session, "ann");
    for (int i = 0; i < 20; i++) {
      clock.advance(TTL.minusSeconds(1));
      beat(session);
    }
    clock.advance(TTL.plusSeconds(1));
    beat(session);
    assertEquals(List.of("ann"), keys());
  }

  @Test
  void falseDeath_newOwner_saysThatItsViewIsIncomplete_untilSessionsHadTheirTtl() {
    SessionKey session = open("a");
    track(session, "ann");
    long before = beat(session).presenceEpoch();
    assertEquals(Optional.empty(), count().incompleteFor());
    takeOver();
    BeatResult told = beat(session);
    assertNotEquals(before, told.presenceEpoch(), "so that the client tracks again");
    assertEquals(0, told.presences());
    assertEquals(List.of(), keys());
    assertEquals(Optional.of(TTL), count().incompleteFor());
    clock.advance(TTL.minusMillis(1));
    beat(session);
    assertEquals(
        Optional.of(Duration.ofMillis(1)),
        presences().list(request(ROOM, "", DevicePosition.START, 9), tx).incompleteFor());
    track(session, "ann");
    clock.advance(Duration.ofMillis(1));
    assertEquals(Optional.empty(), count().incompleteFor());
    assertEquals(List.of("ann"), keys());
    assertEquals(Optional.empty(), presences().count("other", ROOM, tx).incompleteFor());
  }

  @Test
  void newOwner_ofANamespaceWithoutSessions_isComplete() {
    close(open("a"));
    takeOver();
    assertEquals(Optional.empty(), count().incompleteFor());
    assertEquals(0, presences().namespaces());
  }

  @Test
  void outcomes_areCounted() {
    SessionKey session = open("a");
    track(session, PHONE, "here", 2);
    track(session, PHONE, "here", 1);
    presences().track(session, PHONE, Map.of(), 1, 3, tx.next());
    untrack(session, PHONE, 1);
    untrack(session, PHONE, 4);
    untrack(session, PHONE, 5);
    for (Outcome outcome : Outcome.values()) {
      assertEquals(1, presenceEvents.tracked.get(outcome));
    }
    for (UntrackResult outcome : UntrackResult.values()) {
      assertEquals(1, presenceEvents.untracked.get(outcome));
    }
  }
}
