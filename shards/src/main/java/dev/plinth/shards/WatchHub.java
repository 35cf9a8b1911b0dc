package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The committed events of a shard, newest last, and who is told of them. A watcher that resumes
 * gets every event after the revision it names, or learns that some are gone. On the shard's loop
 * alone.
 */
final class WatchHub {
  /** Events that are kept for those who resume, by number and by bytes. */
  static final int MAX_EVENTS = 10_000;

  static final int MAX_BYTES = 8 << 20;

  private final long maxBytes;

  private record Commit(long revision, List<Event> events, long bytes) {}

  private final ArrayDeque<Commit> ring = new ArrayDeque<>();
  private final Set<Watcher> watchers = new LinkedHashSet<>();
  // Their snapshot shows what is not durable yet.
  private final Set<Watcher> expected = new LinkedHashSet<>();
  private int eventsHeld;
  private long bytesHeld;
  // Every event after this revision is in the ring.
  private long floor;
  private volatile long revision; // written by the loop, read by whoever looks at the shard

  /**
   * Events before the takeover are not kept.
   *
   * @param maxBytes of the events that are kept for those who resume
   */
  WatchHub(long revision, long maxBytes) {
    this.maxBytes = maxBytes;
    this.floor = revision;
    this.revision = revision;
  }

  long revision() {
    return revision;
  }

  int watchers() {
    return watchers.size();
  }

  /** A watcher that {@link #watch} follows for, unless the shard ends first: then it is told. */
  void expect(Watcher watcher) {
    expected.add(watcher);
  }

  /** Starts with a snapshot that shows the state as of the last commit. */
  void watch(Watcher watcher, Object snapshot) {
    expected.remove(watcher);
    if (!watcher.isGone() && publish(watcher, w -> w.snapshot(revision, snapshot))) {
      watchers.add(watcher);
    }
  }

  /** Goes on after a revision that the watcher has seen; false if events after it are gone. */
  boolean resume(Watcher watcher, long after) {
    if (after < floor || after > revision) {
      publish(watcher, w -> w.gap(floor + 1));
      return false;
    }
    for (Commit commit : ring) {
      if (commit.revision > after
          && !publish(watcher, w -> w.events(commit.revision, commit.events))) {
        return true;
      }
    }
    // One that left meanwhile has nobody to take it out again.
    if (!watcher.isGone()) {
      watchers.add(watcher);
    }
    return true;
  }

  void publish(long at, List<Event> events) {
    revision = at;
    if (events.isEmpty()) {
      return;
    }
    long bytes = events.stream().mapToLong(Event::bytes).sum();
    ring.add(new Commit(at, events, bytes));
    eventsHeld += events.size();
    bytesHeld += bytes;
    while ((eventsHeld > MAX_EVENTS || bytesHeld > maxBytes) && ring.size() > 1) {
      Commit oldest = ring.poll();
      eventsHeld -= oldest.events.size();
      bytesHeld -= oldest.bytes;
      floor = oldest.revision;
    }
    watchers.removeIf(watcher -> !publish(watcher, w -> w.events(at, events)));
  }

  /** For the fixed cadence at which watchers learn that silence means nothing happened. */
  void progress() {
    watchers.removeIf(watcher -> !publish(watcher, w -> w.progress(revision)));
  }

  void leave(Watcher watcher) {
    watchers.remove(watcher);
    expected.remove(watcher);
  }

  void close(Failure why) {
    watchers.forEach(watcher -> watcher.end(why));
    watchers.clear();
    expected.forEach(watcher -> watcher.end(why));
    expected.clear();
  }

  private static boolean publish(Watcher watcher, Predicate<Watcher> message) {
    if (message.test(watcher)) {
      return true;
    }
    watcher.end(ShardFailures.tooSlow());
    return false;
  }
}
