package dev.plinth.registry.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Rooms of a shard on a clock that the test moves. */
abstract class PresenceCoreTest extends CoreTest {
  static final String ROOM = "lobby";
  static final Duration WINDOW = PresenceRoom.WINDOW;
  private long lastSeq;

  PresenceCoreTest() {}

  PresenceCoreTest(boolean held, long resumeBytes) {
    super(held, resumeBytes);
  }

  final Presences presences() {
    return members.presences();
  }

  static DeviceName device(String key, String device) {
    return new DeviceName(ROOM, key, device);
  }

  final long nextSeq() {
    return ++lastSeq;
  }

  final TrackResult track(SessionKey session, DeviceName name, String status, long seq) {
    return presences()
        .track(session, name, Map.of("status", status), presences().epoch(), seq, tx.next());
  }

  final PresenceView track(SessionKey session, String key, String status) {
    return track(session, device(key, "phone"), status, nextSeq()).device().orElseThrow();
  }

  final PresenceView track(SessionKey session, String key) {
    return track(session, key, "here");
  }

  final UntrackResult untrack(SessionKey session, DeviceName name, long seq) {
    return presences().untrack(session, name, seq, tx.next());
  }

  final UntrackResult untrack(SessionKey session, String key) {
    return untrack(session, device(key, "phone"), nextSeq());
  }

  /** All devices in a room, by pages of three. */
  final List<PresenceView> list(String room) {
    List<PresenceView> all = new ArrayList<>();
    Optional<DevicePosition> next = Optional.of(DevicePosition.START);
    while (next.isPresent()) {
      PresencePage page = presences().list(request(room, "", next.get(), 3), tx);
      all.addAll(page.devices());
      next = page.next();
    }
    return all;
  }

  static PresencePage.Request request(String room, String key, DevicePosition after, int size) {
    return new PresencePage.Request(SPACE, room, key, after, size);
  }

  final List<String> keys() {
    return list(ROOM).stream().map(view -> view.at().key()).toList();
  }

  final PresenceNews.Count count() {
    return presences().count(SPACE, ROOM, tx);
  }

  final FoldingWatcher watch() {
    FoldingWatcher watcher = new FoldingWatcher();
    watch(watcher, Optional.empty());
    return watcher;
  }

  final PresenceSubscription watch(FoldingWatcher watcher, Optional<PresenceNews.Position> after) {
    return presences().watch(SPACE, ROOM, watcher, after, tx.next());
  }

  final FoldingWatcher watchCount() {
    FoldingWatcher watcher = new FoldingWatcher();
    presences().watchCount(SPACE, ROOM, watcher, tx.next());
    return watcher;
  }

  final void endWindow() {
    clock.advance(WINDOW);
  }
}
