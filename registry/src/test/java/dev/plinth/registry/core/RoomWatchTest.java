package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.core.PresenceNews.Diff;
import dev.plinth.registry.core.PresenceNews.Gap;
import dev.plinth.registry.core.PresenceNews.Progress;
import dev.plinth.registry.core.PresenceNews.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Watches of a room: windows, order, resuming, counts and slow readers. */
class RoomWatchTest extends PresenceCoreTest {
  private final SessionKey session = open("a");

  private static List<String> keys(List<PresenceView> views) {
    return views.stream().map(view -> view.at().key()).toList();
  }

  private static Diff lastDiff(FoldingWatcher watcher) {
    List<Diff> all = watcher.all(Diff.class);
    return all.get(all.size() - 1);
  }

  private void assertFoldIsTheList(FoldingWatcher watcher) {
    assertEquals(list(ROOM), List.copyOf(watcher.folded.values()));
  }

  @Test
  void watch_beginsWithASnapshot_thenTellsEachWindow() {
    track(session, "ann");
    FoldingWatcher watcher = watch();
    assertEquals(List.of("ann"), keys(watcher.all(Snapshot.class).get(0).devices()));
    track(session, "bob");
    track(session, "cid");
    track(session, "ann", "away");
    untrack(session, "cid");
    assertEquals(1, watcher.news.size(), "not before the window ends");
    endWindow();
    Diff diff = lastDiff(watcher);
    assertEquals(List.of("bob"), keys(diff.joins()));
    assertEquals(List.of("ann"), keys(diff.changes()));
    assertEquals(List.of(), diff.leaves());
    untrack(session, "ann");
    endWindow();
    assertEquals(List.of("ann"), keys(lastDiff(watcher).leaves()));
    assertFoldIsTheList(watcher);
    clock.advance(Duration.ofSeconds(1));
    assertEquals(3, watcher.news.size(), "nothing more to tell");
  }

  @Test
  void window_joinAndLeave_cancelOut() {
    FoldingWatcher watcher = watch();
    track(session, "ann");
    track(session, "ann", "away");
    untrack(session, "ann");
    endWindow();
    assertEquals(List.of(), watcher.all(Diff.class));
    assertEquals(3, presenceEvents.coalesced);
    assertEquals(0, presenceEvents.told);
  }

  @Test
  void window_leaveAndJoin_areBothTold_asItIsAnotherStay() {
    PresenceView first = track(session, "ann");
    FoldingWatcher watcher = watch();
    untrack(session, "ann");
    PresenceView second = track(session, "ann");
    endWindow();
    assertEquals(List.of(first), lastDiff(watcher).leaves());
    assertEquals(List.of(second), lastDiff(watcher).joins());
    untrack(session, "ann");
    track(session, "ann");
    untrack(session, "ann");
    endWindow();
    assertEquals(List.of(second), lastDiff(watcher).leaves());
    assertEquals(List.of(), lastDiff(watcher).joins());
    assertFoldIsTheList(watcher);
  }

  @Test
  void window_manyChangesOfADevice_areOne() {
    track(session, "ann");
    FoldingWatcher watcher = watch();
    for (int i = 0; i < 10; i++) {
      track(session, "ann", "status " + i);
    }
    endWindow();
    assertEquals(1, watcher.all(Diff.class).size());
    assertEquals("status 9", lastDiff(watcher).changes().get(0).meta().get("status"));
    assertEquals(9, presenceEvents.coalesced);
  }

  @Test
  void window_isOfItsRoomAlone() {
    FoldingWatcher watcher = watch();
    track(session, new DeviceName("elsewhere", "ann", ""), "here", nextSeq());
    endWindow();
    assertEquals(1, watcher.news.size());
  }

  @Test
  void watcherThatComesWithinAWindow_beginsAtItsEnd_withAllOthers() {
    FoldingWatcher first = watch();
    track(session, "ann");
    FoldingWatcher second = watch();
    FoldingWatcher third = watch();
    assertEquals(List.of(), second.news);
    track(session, "bob");
    endWindow();
    assertEquals(List.of("ann", "bob"), keys(second.all(Snapshot.class).get(0).devices()));
    assertSame(
        second.all(Snapshot.class).get(0).devices(), third.all(Snapshot.class).get(0).devices());
    untrack(session, "ann");
    endWindow();
    for (FoldingWatcher watcher : List.of(first, second, third)) {
      assertEquals(List.of("ann"), keys(lastDiff(watcher).leaves()));
      assertFoldIsTheList(watcher);
    }
    assertSame(lastDiff(first), lastDiff(third), "made once for all");
  }

  @Test
  void sessionEnd_isToldOnce_forEachOfItsDevices() {
    FoldingWatcher watcher = watch();
    for (int i = 0; i < 500; i++) {
      track(session, "k" + i);
    }
    endWindow();
    close(session);
    endWindow();
    assertEquals(500, lastDiff(watcher).leaves().size());
    assertEquals(2, watcher.all(Diff.class).size());
    assertFoldIsTheList(watcher);
  }

  @Test
  void watchGap_resume_tellsAllThatWasMissed_andNothingTwice() {
    FoldingWatcher first = new FoldingWatcher();
    PresenceSubscription subscription = watch(first, Optional.empty());
    track(session, "ann");
    endWindow();
    track(session, "bob");
    subscription.leave(tx.next());
    endWindow();
    track(session, "cid");
    endWindow();
    untrack(session, "ann");
    FoldingWatcher again = FoldingWatcher.after(first);
    watch(again, Optional.of(first.at));
    assertEquals(2, again.all(Diff.class).size());
    endWindow();
    assertEquals(3, again.news.size());
    assertFoldIsTheList(again);
    FoldingWatcher upToDate = FoldingWatcher.after(again);
    watch(upToDate, Optional.of(again.at));
    assertEquals(List.of(), upToDate.news);
    assertEquals(2, presenceEvents.resumed);
  }

  @Test
  void watchGap_afterALongAbsence_isTold_andASnapshotFollows() {
    track(session, "zoe");
    FoldingWatcher first = new FoldingWatcher();
    PresenceSubscription subscription = watch(first, Optional.empty());
    subscription.leave(tx.next());
    for (int i = 0; i < 5; i++) {
      clock.advance(PresenceRoom.KEPT.dividedBy(5));
      beat(session);
    }
    track(session, "ann");
    FoldingWatcher again = FoldingWatcher.after(first);
    watch(again, Optional.of(first.at));
    assertEquals(List.of(Gap.class, Snapshot.class), types(again));
    assertFoldIsTheList(again);
    assertEquals(1, presenceEvents.gaps);
  }

  @Test
  void watchGap_fromBeforeATakeover_isTold_andSoIsThatItIsIncomplete() {
    FoldingWatcher first = watch();
    track(session, "ann");
    endWindow();
    takeOver();
    FoldingWatcher again = FoldingWatcher.after(first);
    watch(again, Optional.of(first.at));
    assertEquals(List.of(Gap.class, Snapshot.class), types(again));
    Snapshot snapshot = again.all(Snapshot.class).get(0);
    assertEquals(List.of(), snapshot.devices());
    assertEquals(Optional.of(TTL), snapshot.incompleteFor());
    beat(session);
    track(session, "ann");
    endWindow();
    assertEquals(Optional.of(TTL.minus(WINDOW)), lastDiff(again).incompleteFor());
    clock.advance(TTL.minus(WINDOW));
    List<Progress> complete = again.all(Progress.class);
    assertEquals(1, complete.size(), "at once when it is complete");
    assertEquals(Optional.empty(), complete.get(0).incompleteFor());
    assertFoldIsTheList(again);
  }

  @Test
  void watchGap_positionOfTheFuture_isOne() {
    FoldingWatcher watcher = watch();
    PresenceNews.Position ahead =
        new PresenceNews.Position(watcher.at.epoch(), watcher.at.revision() + 1, 0);
    FoldingWatcher again = new FoldingWatcher();
    watch(again, Optional.of(ahead));
    assertEquals(List.of(Gap.class, Snapshot.class), types(again));
  }

  private static List<Class<?>> types(FoldingWatcher watcher) {
    return watcher.news.stream().<Class<?>>map(Object::getClass).toList();
  }

  @Test
  void countOnly_isToldHowMany_whenThatHasChanged() {
    FoldingWatcher counts = watchCount();
    assertEquals(List.of(0, 0), List.of(counts.count.keys(), counts.count.devices()));
    track(session, "ann");
    track(session, device("ann", "laptop"), "here", nextSeq());
    track(session, "bob");
    endWindow();
    assertEquals(List.of(2, 3), List.of(counts.count.keys(), counts.count.devices()));
    assertEquals(2, counts.news.size());
    track(session, "ann", "away");
    untrack(session, "bob");
    track(session, "cid");
    endWindow();
    assertEquals(2, counts.news.size(), "as many as before");
    assertEquals(0, presenceEvents.told, "no diff was made");
  }

  @Test
  void slowWatcher_isCutOff_andOthersGoOn() {
    FoldingWatcher slow = watch();
    FoldingWatcher slowCount = watchCount();
    FoldingWatcher other = watch();
    slow.reads = false;
    slowCount.reads = false;
    track(session, "ann");
    endWindow();
    for (FoldingWatcher cut : List.of(slow, slowCount)) {
      assertEquals(ErrorReason.ERROR_REASON_WATCHER_TOO_SLOW, cut.end.reason());
    }
    assertNull(other.end);
    assertEquals(2, presenceEvents.cuts);
    assertEquals(1, presenceEvents.watchers);
    FoldingWatcher again = FoldingWatcher.after(slow);
    watch(again, Optional.of(slow.at));
    assertFoldIsTheList(again);
    assertTrue(again.all(Snapshot.class).isEmpty(), "it resumes");
  }

  @Test
  void progress_saysWhereAWatcherIs() {
    FoldingWatcher watcher = watch();
    FoldingWatcher counts = watchCount();
    track(session, "ann");
    presences().progress(tx.nanos());
    assertEquals(List.of(Snapshot.class, Progress.class), types(watcher));
    endWindow();
    presences().progress(tx.nanos());
    assertEquals(lastDiff(watcher).at(), watcher.all(Progress.class).get(1).at().orElseThrow());
    assertEquals(Optional.empty(), counts.all(Progress.class).get(1).at());
    FoldingWatcher again = FoldingWatcher.after(watcher);
    watch(again, Optional.of(watcher.at));
    assertEquals(List.of(), again.news);
  }

  @Test
  void room_thatNobodyIsIn_isForgotten() {
    FoldingWatcher watcher = new FoldingWatcher();
    PresenceSubscription subscription = watch(watcher, Optional.empty());
    track(session, "ann");
    untrack(session, "ann");
    assertEquals(1, presenceEvents.rooms);
    subscription.leave(tx.next());
    subscription.leave(tx.next());
    endWindow();
    assertEquals(0, presenceEvents.rooms);
    close(session);
    assertEquals(0, presences().namespaces());
  }
}
