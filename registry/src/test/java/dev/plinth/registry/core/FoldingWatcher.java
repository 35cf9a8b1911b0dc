package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.registry.core.PresenceNews.Position;
import dev.plinth.server.failure.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * A watcher that applies what it is told. Every message must fit what it has: nobody leaves who is
 * not there, joins who is, or is told of before a snapshot, and every checksum is that of its fold.
 */
final class FoldingWatcher implements PresenceWatcher {
  final List<PresenceNews> news = new ArrayList<>();
  final TreeMap<DevicePosition, PresenceView> folded = new TreeMap<>();
  Position at;
  PresenceNews.Count count;
  Failure end;
  boolean reads = true;

  /** Goes on from where another one was. */
  static FoldingWatcher after(FoldingWatcher before) {
    FoldingWatcher watcher = new FoldingWatcher();
    watcher.folded.putAll(before.folded);
    watcher.at = before.at;
    return watcher;
  }

  @Override
  public boolean tell(PresenceNews told) {
    assertNull(end, "nothing follows the end");
    if (!reads) {
      return false;
    }
    news.add(told);
    if (told instanceof PresenceNews.Snapshot snapshot) {
      folded.clear();
      snapshot.devices().forEach(view -> folded.put(view.at(), view));
      moved(snapshot.at());
    } else if (told instanceof PresenceNews.Diff diff) {
      assertTrue(at != null && diff.at().revision() > at.revision(), "in order, and none twice");
      diff.leaves().forEach(view -> assertEquals(view, folded.remove(view.at()), "who leaves"));
      diff.joins().forEach(view -> assertNull(folded.put(view.at(), view), "who joins"));
      diff.changes().forEach(this::change);
      moved(diff.at());
    } else if (told instanceof PresenceNews.Progress progress) {
      progress.at().ifPresent(this::moved);
    } else if (told instanceof PresenceNews.Count counted) {
      count = counted;
    } else {
      at = null;
    }
    return true;
  }

  private void change(PresenceView view) {
    PresenceView before = folded.put(view.at(), view);
    assertEquals(view.joinVersion(), before.joinVersion(), "who changes has stayed");
    assertTrue(view.version() > before.version());
  }

  private void moved(Position to) {
    at = to;
    long sum = folded.values().stream().mapToLong(PresenceView::hash).sum();
    assertEquals(to.checksum(), sum, "W1: the checksum is that of the fold");
  }

  @Override
  public void end(Failure why) {
    assertNull(end);
    end = why;
  }

  <N extends PresenceNews> List<N> all(Class<N> type) {
    return news.stream().filter(type::isInstance).map(type::cast).toList();
  }
}
