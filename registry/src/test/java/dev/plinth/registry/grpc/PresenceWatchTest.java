package dev.plinth.registry.grpc;

import static dev.plinth.registry.grpc.RegistryCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.Presence;
import dev.plinth.registry.v1.PresenceServiceGrpc;
import dev.plinth.registry.v1.WatchPresenceRequest;
import dev.plinth.registry.v1.WatchPresenceResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.RecordedStream;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** WatchPresence: a snapshot, then the changes of each window, and on from where one was. */
@OnEachStore(RegistryWiring.class)
class PresenceWatchTest {
  @Parameter ShardServer server;
  private RoomCalls calls;
  private OpenSessionResponse session;

  @BeforeEach
  void begin() {
    calls = new RoomCalls(server);
    session = calls.registry.open(LONG);
  }

  /** What a client keeps; each message that ends a snapshot or a diff must have its checksum. */
  private static final class Fold {
    final Map<String, Presence> present = new TreeMap<>();
    String token = "";

    void apply(WatchPresenceResponse message) {
      if (message.hasSnapshot() && !token.equals("more")) {
        present.clear();
      }
      message.getSnapshot().getPresencesList().forEach(this::put);
      message.getDiff().getLeavesList().forEach(gone -> present.remove(id(gone)));
      message.getDiff().getJoinsList().forEach(this::put);
      message.getDiff().getChangesList().forEach(this::put);
      boolean more = message.getSnapshot().getMore() || message.getDiff().getMore();
      assertEquals(!more && !message.hasGap(), message.hasChecksum(), "W1: " + message);
      assertEquals(!more && !message.hasGap(), !message.getResumeToken().isEmpty());
      if (message.hasChecksum()) {
        assertEquals(WatchChecksum.ofPresences(present.values()), message.getChecksum(), "W1");
      }
      token = more ? "more" : message.getResumeToken();
    }

    private void put(Presence device) {
      present.put(id(device), device);
    }

    private static String id(Presence device) {
      return device.getKey() + " " + device.getSessionId() + " " + device.getDevice();
    }

    void until(
        RecordedStream<WatchPresenceRequest, WatchPresenceResponse> watch, List<Presence> list) {
      while (!List.copyOf(present.values()).equals(list)) {
        apply(watch.next());
      }
    }
  }

  @Test
  void W1_foldOfAWatch_isTheList_withItsChecksum() {
    calls.track(session, "ann");
    var watch = calls.watch(calls.watching());
    Fold fold = new Fold();
    fold.apply(watch.next());
    assertEquals(calls.list(), List.copyOf(fold.present.values()));
    for (int i = 0; i < 60; i++) {
      String key = "k" + i % 7;
      if (i % 3 == 0) {
        calls.untrack(session, key);
      } else {
        calls.track(calls.tracking(session, key).putMeta("status", "s" + i));
      }
    }
    fold.until(watch, calls.list());
    calls.registry.close(session);
    fold.until(watch, List.of());
  }

  @Test
  void joinsChangesAndLeaves_areTold() {
    var watch = calls.watch(calls.watching());
    assertEquals(0, watch.next().getSnapshot().getPresencesCount());
    Presence here = calls.track(session, "ann");
    assertEquals(
        List.of(here), watch.next(WatchPresenceResponse::hasDiff).getDiff().getJoinsList());
    Presence away = calls.track(calls.tracking(session, "ann").putMeta("status", "away"));
    assertEquals(
        List.of(away), watch.next(WatchPresenceResponse::hasDiff).getDiff().getChangesList());
    calls.untrack(session, "ann");
    assertEquals(
        List.of(away), watch.next(WatchPresenceResponse::hasDiff).getDiff().getLeavesList());
    WatchPresenceResponse progress = watch.next(WatchPresenceResponse::hasProgress);
    assertEquals(0, progress.getChecksum());
    assertFalse(progress.getResumeToken().isEmpty());
  }

  @Test
  void watchGap_resume_goesOnWithoutASnapshot() {
    var first = calls.watch(calls.watching());
    Fold fold = new Fold();
    fold.apply(first.next());
    calls.track(session, "ann");
    fold.until(first, calls.list());
    first.cancel();
    calls.track(session, "bob");
    calls.untrack(session, "ann");
    var again = calls.watch(calls.watching().setResumeToken(fold.token));
    List<Presence> list = calls.list();
    while (!List.copyOf(fold.present.values()).equals(list)) {
      WatchPresenceResponse next = again.next();
      assertFalse(next.hasSnapshot() || next.hasGap(), "it resumes");
      fold.apply(next);
    }
  }

  @Test
  void watchGap_fromBeforeARestart_isTold_andSoIsThatSomeMayBeMissing() {
    calls.track(session, "ann");
    var first = calls.watch(calls.watching());
    String token = first.next().getResumeToken();
    server.restart();
    var again = calls.watch(calls.watching().setResumeToken(token));
    assertTrue(again.next().hasGap());
    WatchPresenceResponse snapshot = again.next();
    assertTrue(snapshot.hasSnapshot() && snapshot.hasIncompleteFor());
    assertEquals(0, snapshot.getSnapshot().getPresencesCount());
    long epoch = calls.registry.beat(session).getPresenceEpoch();
    calls.track(calls.tracking(session, "ann").setPresenceEpoch(epoch));
    WatchPresenceResponse diff = again.next(WatchPresenceResponse::hasDiff);
    assertEquals("ann", diff.getDiff().getJoins(0).getKey());
    assertTrue(diff.hasIncompleteFor());
  }

  @Test
  void watch_isToldWhenTheViewIsComplete() {
    calls.registry.close(session);
    calls.registry.open(RegistryCalls.SHORT);
    server.restart();
    var watch = calls.watch(calls.watching());
    assertTrue(watch.next().hasSnapshot());
    watch.next(message -> message.hasProgress() && !message.hasIncompleteFor());
  }

  @Test
  void resumeToken_ofAnotherRoom_isRefused() {
    String token = calls.watch(calls.watching()).next().getResumeToken();
    calls
        .watch(calls.watching().setRoom("other").setResumeToken(token))
        .refusal()
        .isOfField("resume_token", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  @Test
  void countOnly_tellsNumbersAlone() {
    var watch = calls.watch(calls.watching().setCountOnly(true));
    assertEquals(0, watch.next().getCount().getDevices());
    calls.track(session, "ann");
    WatchPresenceResponse one = watch.next(message -> message.getCount().getDevices() == 1);
    assertEquals(1, one.getCount().getKeys());
    assertTrue(one.getResumeToken().isEmpty() && !one.hasChecksum());
    calls.registry.close(session);
    watch.next(message -> message.hasCount() && message.getCount().getDevices() == 0);
    watch.next(WatchPresenceResponse::hasProgress);
  }

  @Test
  void largeRoom_comesInParts_andIsWhole() {
    Map<String, String> large = new TreeMap<>();
    for (int i = 0; i < 3; i++) {
      large.put("text" + i, "x".repeat(250));
    }
    for (int i = 0; i < 3000; i++) {
      calls.track(calls.tracking(session, "k%04d".formatted(i)).putAllMeta(large));
    }
    var watch = calls.watch(calls.watching());
    Fold fold = new Fold();
    int parts = 0;
    do {
      WatchPresenceResponse part = watch.next();
      fold.apply(part);
      parts++;
      assertTrue(part.getSerializedSize() < 2 << 20);
    } while (fold.token.equals("more"));
    assertTrue(parts > 1);
    assertEquals(3000, fold.present.size());
    calls.registry.close(session);
    while (!fold.present.isEmpty()) {
      fold.apply(watch.next());
    }
  }

  @Test
  void slowWatcher_isCutOff_andCanResume() {
    RecordedStream<WatchPresenceRequest, WatchPresenceResponse> slow = RecordedStream.slowly();
    PresenceServiceGrpc.newStub(server.channel()).watchPresence(calls.watching().build(), slow);
    Await.until(
        "it watches", () -> server.meters().get("plinth.presence.watchers").gauge().value() > 0);
    Map<String, String> large = new TreeMap<>();
    for (int i = 0; i < 3; i++) {
      large.put("text" + i, "x".repeat(250));
    }
    List<String> keys = new ArrayList<>();
    Await.until(
        "it is cut off",
        () -> {
          for (int i = 0; i < 200; i++) {
            String key = "k" + keys.size();
            keys.add(key);
            calls.track(calls.tracking(session, key).putAllMeta(large));
          }
          return server.meters().get("plinth.presence.watchers.cut").counter().count() > 0;
        });
    slow.readOn();
    Refusal cut = slow.lastly();
    cut.is(Status.Code.RESOURCE_EXHAUSTED, ErrorReason.ERROR_REASON_WATCHER_TOO_SLOW);
  }

  @Test
  void watcherThatLeaves_isForgotten() {
    double before = server.meters().get("plinth.presence.watchers").gauge().value();
    var watch = calls.watch(calls.watching());
    watch.next();
    assertEquals(before + 1, server.meters().get("plinth.presence.watchers").gauge().value());
    watch.cancel();
    Await.until(
        "it is gone",
        () -> server.meters().get("plinth.presence.watchers").gauge().value() == before);
  }
}
