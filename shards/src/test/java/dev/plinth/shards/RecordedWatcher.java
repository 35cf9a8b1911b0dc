package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what it is told, until it has had enough. */
final class RecordedWatcher implements Watcher {
  final List<String> told = new CopyOnWriteArrayList<>();
  int room = Integer.MAX_VALUE;
  boolean gone;

  @Override
  public boolean isGone() {
    return gone;
  }

  @Override
  public boolean snapshot(long revision, Object content) {
    return tell("snapshot@" + revision + " " + content);
  }

  @Override
  public boolean events(long revision, List<Event> events) {
    return tell(
        "events@" + revision + " " + events.stream().map(e -> e.key() + "=" + e.body()).toList());
  }

  @Override
  public boolean progress(long revision) {
    return tell("progress@" + revision);
  }

  @Override
  public boolean gap(long oldestRevision) {
    return tell("gap, oldest " + oldestRevision);
  }

  @Override
  public void end(Failure why) {
    told.add("end " + why.reason());
  }

  private boolean tell(String what) {
    if (room-- <= 0) {
      return false;
    }
    told.add(what);
    return true;
  }
}
