package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.registry.core.PresenceNews.Diff;
import dev.plinth.registry.core.PresenceNews.Snapshot;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What watchers of rooms hear while commits are on their way. */
class PresenceCommitTest extends PresenceCoreTest {
  PresenceCommitTest() {
    super(true, PresenceContext.RESUME_BYTES);
  }

  @Test
  void leavesOfASession_areToldWhenItsEndIsDurable() {
    SessionKey session = open("a");
    track(session, "ann");
    FoldingWatcher watcher = watch();
    tx.commit();
    close(session);
    endWindow();
    assertEquals(0, watcher.all(Diff.class).size());
    tx.commit();
    assertEquals(1, watcher.all(Diff.class).size());
  }

  @Test
  void watcherThatComesMeanwhile_hearsNothingBeforeItsSnapshot() {
    SessionKey session = open("a");
    FoldingWatcher first = watch();
    tx.commit();
    track(session, "ann");
    endWindow();
    FoldingWatcher second = watch();
    track(session, "bob");
    endWindow();
    tx.commit();
    assertEquals(2, first.all(Diff.class).size());
    assertEquals(1, second.all(Snapshot.class).size());
    assertEquals(1, second.all(Diff.class).size());
    assertEquals(list(ROOM), List.copyOf(second.folded.values()));
  }

  @Test
  void watchGap_progressIsOfWhatWasTold_andNotOfWhatIsOnItsWay() {
    SessionKey session = open("a");
    FoldingWatcher watcher = watch();
    tx.commit();
    track(session, "ann");
    endWindow();
    presences().progress(tx.nanos());
    FoldingWatcher again = FoldingWatcher.after(watcher);
    watch(again, Optional.of(watcher.at));
    tx.commit();
    assertEquals(List.of("ann"), again.folded.keySet().stream().map(at -> at.key()).toList());
  }

  @Test
  void watcherThatLeavesBeforeItsFirstNews_hearsNothing() {
    FoldingWatcher watcher = new FoldingWatcher();
    PresenceSubscription subscription = watch(watcher, Optional.empty());
    subscription.leave(tx.next());
    tx.commit();
    assertEquals(List.of(), watcher.news);
    assertEquals(0, presenceEvents.rooms);
  }
}
