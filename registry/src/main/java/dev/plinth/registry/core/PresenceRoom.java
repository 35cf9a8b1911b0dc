package dev.plinth.registry.core;

import dev.plinth.registry.core.PresenceNews.Diff;
import dev.plinth.registry.core.PresenceNews.Position;
import dev.plinth.shards.ShardFailures;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The devices in one room and those who watch them. Changes gather from the first one on for a
 * window, and are told together when it ends: as what became of each device since it was last told.
 * Whoever begins to watch meanwhile waits for that end, so that snapshots and diffs meet. What a
 * transaction tells leaves when all that it may rest on is durable, in the order of transactions.
 */
final class PresenceRoom {
  static final Duration WINDOW = Duration.ofMillis(100);

  /** For so long after its last watcher left, changes are still kept for one who resumes. */
  static final Duration KEPT = Duration.ofMinutes(1);

  /** Devices in one room. */
  static final int MAX_DEVICES = 100_000;

  /** About what an empty room weighs. */
  static final int BYTES = 1000;

  final PresenceNamespace namespace;
  final String name;
  final TreeMap<DevicePosition, PresenceView> devices = new TreeMap<>();
  private final Presences presences;
  int keys;
  long bytes;
  private long checksum;

  /** Of the window that is open: each device that changed, as it was when last told. */
  private final Map<DevicePosition, Optional<PresenceView>> changed = new LinkedHashMap<>();

  private int changes;
  private Tx.Timer windowEnd;

  private final Set<PresenceSubscription> watchers = new LinkedHashSet<>();
  private final Set<PresenceSubscription> waiting = new LinkedHashSet<>();
  private int diffWatchers;

  /** When the last watcher of diffs left; null if there was none. */
  private Long leftAt;

  /** When something was last told here. */
  private long seenAt;

  /** Diffs after the floor, oldest first, for watchers who resume. */
  final ArrayDeque<Diff> kept = new ArrayDeque<>(0);

  private long floor;

  /** What has been told to all watchers that have started. */
  private Position told;

  /** All devices, made when asked for; null once one has changed. */
  private List<PresenceView> snapshot;

  PresenceRoom(PresenceNamespace namespace, String name, Presences presences) {
    this.namespace = namespace;
    this.name = name;
    this.presences = presences;
    this.floor = presences.version();
    this.told = position();
  }

  private Position position() {
    return new Position(presences.epoch(), presences.version(), checksum);
  }

  /** A device comes, changes or goes; the caller has given the change its version. */
  void change(
      DevicePosition at, Optional<PresenceView> before, Optional<PresenceView> after, Tx tx) {
    before.ifPresent(this::subtract);
    after.ifPresent(this::add);
    snapshot = null;
    if (gathers(tx.nanos())) {
      changed.putIfAbsent(at, before);
      changes++;
    } else {
      floor = presences.version();
    }
    if (windowEnd == null && (!changed.isEmpty() || !watchers.isEmpty())) {
      windowEnd = tx.tellAt(tx.nanos() + WINDOW.toNanos(), this::endWindow);
    }
  }

  private void subtract(PresenceView view) {
    devices.remove(view.at());
    keys -= hasKey(view.at().key()) ? 0 : 1;
    checksum -= view.hash();
    bytes -= view.bytes();
    namespace.bytes -= view.bytes();
  }

  private void add(PresenceView view) {
    keys += hasKey(view.at().key()) ? 0 : 1;
    devices.put(view.at(), view);
    checksum += view.hash();
    bytes += view.bytes();
    namespace.bytes += view.bytes();
  }

  private boolean hasKey(String key) {
    DevicePosition next = devices.higherKey(DevicePosition.first(key));
    return next != null && next.key().equals(key);
  }

  /** A room that nobody watches for who is there keeps no changes. */
  private boolean gathers(long now) {
    return diffWatchers > 0
        || !changed.isEmpty()
        || leftAt != null && now - leftAt < KEPT.toNanos();
  }

  private void endWindow(Tx tx) {
    windowEnd = null;
    seenAt = tx.nanos();
    Optional<Duration> incompleteFor = namespace.incompleteFor(tx.nanos());
    Diff diff = diff(incompleteFor);
    presences.events().told(diff.size(), changes - diff.size());
    changed.clear();
    changes = 0;
    if (!diff.isEmpty()) {
      presences.log().add(this, diff);
    }
    PresenceNews.Count count = count(incompleteFor);
    tx.afterCommit(() -> tell(diff, count));
    waiting.forEach(watcher -> start(watcher, tx));
    waiting.clear();
    presences.forgetIfUnused(this);
  }

  private Diff diff(Optional<Duration> incompleteFor) {
    List<PresenceView> leaves = new ArrayList<>();
    List<PresenceView> joins = new ArrayList<>();
    List<PresenceView> others = new ArrayList<>();
    changed.forEach(
        (at, before) -> {
          PresenceView now = devices.get(at);
          if (now != null && before.map(PresenceView::joinVersion).equals(joined(now))) {
            others.add(now);
            return;
          }
          before.ifPresent(leaves::add);
          if (now != null) {
            joins.add(now);
          }
        });
    return new Diff(position(), leaves, joins, others, incompleteFor, new PresenceNews.Encoded());
  }

  private static Optional<Long> joined(PresenceView view) {
    return Optional.of(view.joinVersion());
  }

  private PresenceNews.Count count(Optional<Duration> incompleteFor) {
    return new PresenceNews.Count(keys, devices.size(), incompleteFor);
  }

  private void tell(Diff diff, PresenceNews.Count count) {
    if (!diff.isEmpty()) {
      told = diff.at();
    }
    for (PresenceSubscription to : List.copyOf(watchers)) {
      if (to.started) {
        if (to.countOnly) {
          tellCount(to, count);
        } else if (!diff.isEmpty()) {
          tell(to, diff);
        }
      }
    }
  }

  private void tellCount(PresenceSubscription to, PresenceNews.Count count) {
    boolean same =
        to.count != null
            && to.count.keys() == count.keys()
            && to.count.devices() == count.devices();
    if (!same) {
      to.count = count;
      tell(to, count);
    }
  }

  private void tell(PresenceSubscription to, PresenceNews news) {
    if (!to.watcher.tell(news)) {
      leave(to, seenAt);
      presences.events().cut();
      to.watcher.end(ShardFailures.tooSlow());
    }
  }

  /**
   * Someone begins to watch.
   *
   * @param after goes on after this position, if that is possible
   */
  void watch(PresenceSubscription watcher, Optional<Position> after, Tx tx) {
    seenAt = tx.nanos();
    watchers.add(watcher);
    presences.countWatchers(1);
    if (watcher.countOnly) {
      PresenceNews.Count now = count(namespace.incompleteFor(tx.nanos()));
      tx.afterCommit(() -> begin(watcher, () -> tellCount(watcher, now)));
      return;
    }
    diffWatchers++;
    if (after.isPresent() && resume(watcher, after.get(), tx)) {
      return;
    }
    if (changed.isEmpty()) {
      start(watcher, tx);
    } else {
      waiting.add(watcher);
    }
  }

  private boolean resume(PresenceSubscription watcher, Position after, Tx tx) {
    boolean known =
        after.epoch() == presences.epoch()
            && after.revision() >= floor
            && after.revision() <= presences.version();
    presences.events().resumed(!known);
    if (!known) {
      tx.afterCommit(() -> watcher.watcher.tell(new PresenceNews.Gap()));
      return false;
    }
    List<Diff> missed =
        kept.stream().filter(diff -> diff.at().revision() > after.revision()).toList();
    tx.afterCommit(() -> begin(watcher, () -> missed.forEach(diff -> tell(watcher, diff))));
    return true;
  }

  private void start(PresenceSubscription watcher, Tx tx) {
    if (snapshot == null) {
      snapshot = List.copyOf(devices.values());
    }
    PresenceNews.Snapshot news =
        new PresenceNews.Snapshot(position(), snapshot, bytes, namespace.incompleteFor(tx.nanos()));
    tx.afterCommit(
        () ->
            begin(
                watcher,
                () -> {
                  told = news.at();
                  tell(watcher, news);
                }));
  }

  /** Its first news leave, unless it has gone meanwhile. */
  private void begin(PresenceSubscription watcher, Runnable firstNews) {
    if (watchers.contains(watcher)) {
      watcher.started = true;
      firstNews.run();
    }
  }

  /** Nothing was missed by those who have been told something. */
  void progress(long now) {
    seenAt = now;
    Optional<Duration> incompleteFor = namespace.incompleteFor(now);
    PresenceNews ofDiffs = new PresenceNews.Progress(Optional.of(told), incompleteFor);
    PresenceNews ofCounts = new PresenceNews.Progress(Optional.empty(), incompleteFor);
    for (PresenceSubscription to : List.copyOf(watchers)) {
      if (to.started) {
        tell(to, to.countOnly ? ofCounts : ofDiffs);
      }
    }
  }

  void leave(PresenceSubscription watcher, long now) {
    if (watchers.remove(watcher)) {
      waiting.remove(watcher);
      presences.countWatchers(-1);
      if (!watcher.countOnly && --diffWatchers == 0) {
        leftAt = now;
      }
      presences.forgetIfUnused(this);
    }
  }

  /** The oldest kept diff is gone; a watcher that has not seen it cannot resume. */
  void forgetOldest() {
    if (!kept.isEmpty()) {
      floor = Math.max(floor, kept.remove().at().revision());
    }
  }

  boolean isUnused() {
    return devices.isEmpty() && watchers.isEmpty() && windowEnd == null;
  }
}
