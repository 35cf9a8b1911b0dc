package dev.plinth.registry.grpc;

import static dev.plinth.registry.grpc.RegistryCalls.LONG;
import static dev.plinth.registry.grpc.RegistryCalls.SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.ListPresenceResponse;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.Presence;
import dev.plinth.registry.v1.PresenceCount;
import dev.plinth.registry.v1.TrackRequest;
import dev.plinth.registry.v1.TrackResponse;
import dev.plinth.registry.v1.UntrackRequest;
import dev.plinth.registry.v1.UntrackResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import io.micrometer.core.instrument.Meter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Track, Untrack, ListPresence and CountPresence over a channel. */
@OnEachStore(RegistryWiring.class)
class PresenceCallsTest {
  @Parameter ShardServer server;
  private RoomCalls calls;
  private OpenSessionResponse session;

  @BeforeEach
  void begin() {
    calls = new RoomCalls(server);
    session = calls.registry.open(LONG);
  }

  @Test
  void track_isAnsweredWithTheDevice_andListedAndCounted() {
    Presence phone = calls.track(session, "ann");
    assertEquals("ann", phone.getKey());
    assertEquals("phone", phone.getDevice());
    assertEquals(session.getSessionId(), phone.getSessionId());
    assertEquals("here", phone.getMetaOrThrow("status"));
    Presence plain = calls.track(calls.tracking(session, "ann").clearDevice().clearMeta());
    assertTrue(plain.getVersion() > phone.getVersion());
    Presence bob = calls.track(calls.registry.open(LONG), "bob");
    assertEquals(List.of(plain, phone, bob), calls.list());
    assertEquals(
        PresenceCount.newBuilder().setKeys(2).setDevices(3).build(), calls.count().getCount());
    BeatResponse beat = calls.registry.beat(session);
    assertEquals(2, beat.getPresences());
    assertEquals(session.getPresenceEpoch(), beat.getPresenceEpoch());
    assertFalse(calls.count().hasIncompleteFor());
  }

  @Test
  void track_sentAgain_getsTheFirstAnswer_andLate_isStale() {
    TrackRequest first = calls.tracking(session, "ann").build();
    TrackResponse answer = calls.presence().track(first);
    assertEquals(answer, calls.presence().track(first));
    Presence away = calls.track(calls.tracking(session, "ann").putMeta("status", "away"));
    TrackResponse late = calls.presence().track(first);
    assertEquals(TrackResponse.Outcome.OUTCOME_STALE, late.getOutcome());
    assertEquals(away, late.getPresence());
    assertEquals(List.of(away), calls.list());
  }

  @Test
  void track_withAUsedSeqAndOtherContent_isRefused() {
    TrackRequest first = calls.tracking(session, "ann").build();
    calls.presence().track(first);
    Refusal.of(() -> calls.presence().track(first.toBuilder().putMeta("status", "x").build()))
        .isOfField("seq", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  @Test
  void untrack_tellsWhatBecameOfIt() {
    calls.track(session, "ann");
    UntrackRequest request = calls.untracking(session, "ann").build();
    assertEquals(
        UntrackResponse.Outcome.OUTCOME_LEFT, calls.presence().untrack(request).getOutcome());
    assertEquals(
        UntrackResponse.Outcome.OUTCOME_LEFT, calls.presence().untrack(request).getOutcome());
    assertEquals(UntrackResponse.Outcome.OUTCOME_GONE, calls.untrack(session, "ann"));
    calls.track(session, "ann");
    assertEquals(
        UntrackResponse.Outcome.OUTCOME_STALE, calls.presence().untrack(request).getOutcome());
    assertEquals(1, calls.list().size());
  }

  @Test
  void ghostMember_trackAfterItsUntrack_isStale() {
    TrackRequest track = calls.tracking(session, "ann").build();
    assertEquals(UntrackResponse.Outcome.OUTCOME_GONE, calls.untrack(session, "ann"));
    TrackResponse late = calls.presence().track(track);
    assertEquals(TrackResponse.Outcome.OUTCOME_STALE, late.getOutcome());
    assertFalse(late.hasPresence());
    assertEquals(List.of(), calls.list());
  }

  @Test
  void ghostMember_trackOfASessionThatIsOver_isNotFound() {
    calls.track(session, "ann");
    calls.registry.close(session);
    assertEquals(List.of(), calls.list());
    unknown(Refusal.of(() -> calls.track(session, "ann")));
    unknown(Refusal.of(() -> calls.untrack(session, "ann")));
    OpenSessionResponse next = calls.registry.open(LONG);
    OpenSessionResponse other = next.toBuilder().setIncarnation(next.getIncarnation() + 1).build();
    unknown(Refusal.of(() -> calls.track(other, "ann")));
    assertEquals(List.of(), calls.list());
  }

  private static void unknown(Refusal refusal) {
    refusal.is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_UNKNOWN);
  }

  @Test
  void falseLiveness_whoIsSilent_isGoneWithItsSession() {
    OpenSessionResponse brief = calls.registry.open(SHORT);
    calls.track(brief, "ann");
    calls.track(session, "bob");
    Await.until("ann is gone", () -> calls.count().getCount().getKeys() == 1);
    assertEquals("bob", calls.list().get(0).getKey());
    unknown(Refusal.of(() -> calls.registry.beat(brief)));
  }

  @Test
  void falseDeath_afterARestart_theViewIsIncomplete_andSessionsAreToldToTrackAgain() {
    TrackRequest before = calls.tracking(session, "ann").build();
    calls.presence().track(before);
    server.restart();
    assertEquals(List.of(), calls.list());
    ListPresenceResponse listed = calls.presence().listPresence(calls.listing().build());
    assertTrue(Durations.isPositive(listed.getIncompleteFor()));
    assertTrue(Durations.compare(listed.getIncompleteFor(), LONG) <= 0);
    assertTrue(calls.count().hasIncompleteFor());
    BeatResponse beat = calls.registry.beat(session);
    assertNotEquals(session.getPresenceEpoch(), beat.getPresenceEpoch());
    assertEquals(0, beat.getPresences());
    TrackResponse late = calls.presence().track(before);
    assertEquals(TrackResponse.Outcome.OUTCOME_EPOCH_CHANGED, late.getOutcome());
    assertEquals(beat.getPresenceEpoch(), late.getPresenceEpoch());
    assertEquals(List.of(), calls.list());
    calls.track(before.toBuilder().setPresenceEpoch(beat.getPresenceEpoch()));
    assertEquals(1, calls.registry.beat(session).getPresences());
  }

  @Test
  void view_isCompleteAgain_onceSessionsHadTheirTtl() {
    calls.registry.close(session);
    OpenSessionResponse brief = calls.registry.open(SHORT);
    server.restart();
    Await.until("it is complete", () -> !calls.count().hasIncompleteFor());
    assertEquals(session.getPresenceEpoch(), brief.getPresenceEpoch());
  }

  @Test
  void list_pages_inTheOrderOfKeys() {
    for (int i = 0; i < 25; i++) {
      calls.track(calls.tracking(session, "k%02d".formatted(i % 20)).setDevice("d" + i));
    }
    List<Presence> paged = new ArrayList<>();
    String token = "";
    do {
      ListPresenceResponse page =
          calls.presence().listPresence(calls.listing().setPageSize(4).setPageToken(token).build());
      assertTrue(page.getPresencesCount() <= 4);
      paged.addAll(page.getPresencesList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertEquals(calls.list(), paged);
    assertEquals(25, paged.size());
    ListPresenceResponse one = calls.presence().listPresence(calls.listing().setKey("k03").build());
    assertEquals(
        List.of("d23", "d3"), one.getPresencesList().stream().map(Presence::getDevice).toList());
  }

  @Test
  void meters_countWhatHappens_andEachHasAText() {
    calls.track(session, "ann");
    calls.untrack(session, "ann");
    assertTrue(counter("tracks", "TRACKED") > 0);
    assertTrue(counter("untracks", "LEFT") > 0);
    for (Meter meter : server.meters().getMeters()) {
      String name = meter.getId().getName();
      if (name.startsWith("plinth.registry.") || name.startsWith("plinth.presence.")) {
        assertNotNull(meter.getId().getDescription(), name);
      }
    }
  }

  private double counter(String name, String outcome) {
    return server.meters().get("plinth.presence." + name).tag("outcome", outcome).counter().count();
  }
}
