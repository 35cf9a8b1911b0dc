package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WatchHubTest {
  private final WatchHub hub = new WatchHub(10, WatchHub.MAX_BYTES);
  private final RecordedWatcher watcher = new RecordedWatcher();

  @Test
  void resume_tellsEveryEventAfterTheRevision_andNoneTwice() {
    publish(11);
    publish(12);
    hub.publish(13, List.of());
    assertTrue(hub.resume(watcher, 11));
    publish(14);
    assertEquals(List.of("events@12 [k=12]", "events@14 [k=14]"), watcher.told);
  }

  @Test
  void resume_atTheTakeoversRevision_hasNoGap_beforeItHas() {
    assertTrue(hub.resume(watcher, 10));
    assertEquals(List.of(), watcher.told);
    RecordedWatcher older = new RecordedWatcher();
    assertFalse(hub.resume(older, 9));
    assertEquals(List.of("gap, oldest 11"), older.told);
  }

  @Test
  void resume_fromTheFuture_isAGap() {
    assertFalse(hub.resume(watcher, 11));
  }

  @Test
  void resume_whereTheRingNoLongerReaches_isAGap_andExactlyThere() {
    IntStream.rangeClosed(11, 10 + 10_005).forEach(this::publish);
    assertFalse(hub.resume(watcher, 14));
    assertTrue(hub.resume(new RecordedWatcher(), 15));
    assertEquals(List.of("gap, oldest 16"), watcher.told);
  }

  @Test
  void ring_isBoundedByBytesToo() {
    int big = WatchHub.MAX_BYTES / 4;
    for (int revision = 11; revision <= 20; revision++) {
      hub.publish(revision, List.of(new Event("k", revision, big)));
    }
    assertFalse(hub.resume(watcher, 15));
    assertTrue(hub.resume(new RecordedWatcher(), 16), "four fit");
  }

  @Test
  void watcherThatIsGone_isNotTakenIn() {
    watcher.gone = true;
    hub.watch(watcher, "state");
    hub.resume(watcher, 10);
    publish(11);
    assertEquals(List.of(), watcher.told);
    assertEquals(0, hub.watchers());
  }

  @Test
  void slowWatcher_isCutWithAReason_andOthersGoOn() {
    RecordedWatcher other = new RecordedWatcher();
    watcher.room = 2;
    hub.watch(watcher, "state");
    hub.watch(other, "state");
    publish(11);
    publish(12);
    publish(13);
    assertEquals(
        List.of("snapshot@10 state", "events@11 [k=11]", "end ERROR_REASON_WATCHER_TOO_SLOW"),
        watcher.told);
    assertEquals(4, other.told.size());
    assertEquals(1, hub.watchers());
  }

  @Test
  void progress_tellsTheRevision_evenWithoutEvents() {
    hub.watch(watcher, "state");
    hub.publish(11, List.of());
    hub.progress();
    assertEquals(List.of("snapshot@10 state", "progress@11"), watcher.told);
  }

  @Test
  void leave_endsTheWatchSilently() {
    hub.watch(watcher, "state");
    hub.leave(watcher);
    publish(11);
    assertEquals(1, watcher.told.size());
  }

  private void publish(int revision) {
    hub.publish(revision, List.of(new Event("k", revision, 1)));
  }
}
