package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.core.PresenceNews.Diff;
import dev.plinth.registry.core.PresenceNews.Gap;
import dev.plinth.registry.core.PresenceNews.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What there may be only so much of in rooms, and what a room with very many costs. */
class PresenceBoundsTest extends PresenceCoreTest {
  private static final int KEPT_BYTES = 20_000;

  PresenceBoundsTest() {
    super(false, KEPT_BYTES);
  }

  private void full(Runnable call) {
    PresenceNews.Count before = count();
    refused(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, call);
    assertEquals(before, count());
  }

  private List<SessionKey> fill(int devices) {
    List<SessionKey> sessions = new ArrayList<>();
    for (int i = 0; i < devices; i++) {
      if (i % SessionPresences.MAX_DEVICES == 0) {
        sessions.add(open("filler"));
      }
      track(sessions.get(sessions.size() - 1), "k%06d".formatted(i));
    }
    return sessions;
  }

  @Test
  void devices_ofASession_areBounded() {
    SessionKey session = fill(SessionPresences.MAX_DEVICES).get(0);
    full(() -> track(session, "one more"));
    track(session, "k000000", "away");
    untrack(session, "k000000");
    track(session, "one more");
  }

  @Test
  void devices_ofARoom_areBounded() {
    SessionKey session = fill(PresenceRoom.MAX_DEVICES).get(0);
    SessionKey other = open("one more");
    full(() -> track(other, "one more"));
    track(other, new DeviceName("elsewhere", "one more", ""), "here", nextSeq());
    untrack(session, "k000000");
    track(other, "one more");
  }

  @Test
  void bytes_ofANamespace_areBounded_andGivenBack() {
    SessionKey session = open("a");
    FoldingWatcher watcher = new FoldingWatcher();
    PresenceSubscription subscription = watch(watcher, Optional.empty());
    PresenceNamespace namespace = presences().namespace(SPACE);
    assertEquals(PresenceRoom.BYTES, namespace.bytes);
    track(session, "ann");
    long one = namespace.bytes;
    track(session, "bob");
    long two = namespace.bytes;
    assertEquals(one - PresenceRoom.BYTES, two - one);
    namespace.bytes += PresenceNamespace.MAX_BYTES;
    full(() -> track(session, "cid"));
    full(() -> track(session, "ann", "a longer text"));
    track(session, "ann", "");
    untrack(session, "bob");
    assertEquals(TrackResult.Outcome.STALE, track(session, device("new", ""), "", 3).outcome());
    namespace.bytes -= PresenceNamespace.MAX_BYTES;
    track(session, "ann", "here");
    assertEquals(one, namespace.bytes, "who was untracked while it was full is not remembered");
    untrack(session, "ann");
    assertTrue(namespace.bytes > PresenceRoom.BYTES, "now it is");
    track(session, "ann", "here");
    assertEquals(one, namespace.bytes);
    close(session);
    subscription.leave(tx.next());
    endWindow();
    assertEquals(0, namespace.bytes);
    assertEquals(0, presences().namespaces());
  }

  @Test
  void fullHeap_refusesNewDevices_andNothingElse() {
    SessionKey session = open("a");
    track(session, "ann");
    heapFull = true;
    refused(ErrorReason.ERROR_REASON_OVERLOADED, () -> track(session, "bob"));
    track(session, "ann", "away");
    untrack(session, "ann");
    assertEquals(0, count().devices());
  }

  @Test
  void keptDiffs_areBoundedInBytes_overAllRooms() {
    SessionKey session = open("a");
    FoldingWatcher first = watch();
    PresenceNews.Position begin = first.at;
    track(session, "ann");
    endWindow();
    FoldingWatcher recent = FoldingWatcher.after(first);
    FoldingWatcher other = new FoldingWatcher();
    presences().watch(SPACE, "other", other, Optional.empty(), tx.next());
    for (int i = 0; i < 100; i++) {
      track(session, new DeviceName("other", "k" + i, ""), "here", nextSeq());
      endWindow();
    }
    FoldingWatcher old = new FoldingWatcher();
    watch(old, Optional.of(begin));
    assertEquals(Gap.class, old.news.get(0).getClass(), "what followed is forgotten");
    watch(recent, Optional.of(first.at));
    assertEquals(List.of(), recent.news, "nothing followed");
    long kept =
        presences().namespace(SPACE).rooms.get("other").kept.stream().mapToLong(Diff::bytes).sum();
    assertTrue(kept > 0 && kept <= KEPT_BYTES, "kept " + kept);
  }

  @Test
  void page_endsAtItsBytes() {
    SessionKey session = open("a");
    Map<String, String> large = Map.of("text", "x".repeat(500));
    for (int i = 0; i < 1000; i++) {
      presences()
          .track(
              session,
              device("k%03d".formatted(i), ""),
              large,
              presences().epoch(),
              nextSeq(),
              tx.next());
    }
    PresencePage page = presences().list(request(ROOM, "", DevicePosition.START, 1000), tx);
    long bytes = page.devices().stream().mapToLong(PresenceView::bytes).sum();
    assertTrue(page.devices().size() < 1000 && bytes < PresencePage.MAX_BYTES + 5000);
    assertTrue(page.next().isPresent());
  }

  /** 50,000 keys, 1,000 changes in a window, 200 watchers: each is told once, all the same. */
  @Test
  void hotRoom_watchersShareOneDiff_andCountsAreTwoNumbers() {
    fill(50_000);
    SessionKey more = open("more");
    List<FoldingWatcher> counts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      counts.add(watchCount());
    }
    for (int i = 0; i < 1000; i++) {
      track(more, "early-%04d".formatted(i));
      untrack(more, "early-%04d".formatted(i));
    }
    endWindow();
    assertEquals(0, presenceEvents.told + presenceEvents.coalesced, "only counts are watched");
    counts.forEach(watcher -> assertEquals(1, watcher.news.size()));

    List<CountingWatcher> watchers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      watchers.add(new CountingWatcher());
      presences().watch(SPACE, ROOM, watchers.get(i), Optional.empty(), tx.next());
    }
    for (int i = 0; i < 1000; i++) {
      track(more, "late-%04d".formatted(i));
    }
    endWindow();
    Diff diff = watchers.get(0).diff;
    assertEquals(1000, diff.joins().size());
    for (CountingWatcher watcher : watchers) {
      assertEquals(2, watcher.told);
      assertTrue(watcher.diff == diff && watcher.snapshot.devices().size() == 50_000);
      assertTrue(watcher.snapshot.devices() == watchers.get(0).snapshot.devices());
    }
    counts.forEach(watcher -> assertEquals(51_000, watcher.count.keys()));
    counts.forEach(watcher -> assertEquals(2, watcher.news.size()));
  }

  private static final class CountingWatcher implements PresenceWatcher {
    int told;
    Snapshot snapshot;
    Diff diff;

    @Override
    public boolean tell(PresenceNews news) {
      told++;
      if (news instanceof Snapshot first) {
        snapshot = first;
      } else if (news instanceof Diff next) {
        diff = next;
      }
      return true;
    }

    @Override
    public void end(dev.plinth.server.failure.Failure why) {
      throw new AssertionError(why);
    }
  }
}
