package dev.plinth.registry.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.core.SessionPresences.Tracked;
import dev.plinth.registry.core.SessionPresences.Untracked;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who is in which room, in the memory of one shard's owner. A device is there while its session is
 * open and tracks it. Nothing is written: the next owner begins with none, under another epoch.
 * Every call refuses by throwing before it changes anything.
 */
public final class Presences {
  private final MemberTable table;
  private final MemberSessions sessions;
  private final PresenceContext context;
  private final PresenceLog log;
  private final long epoch;
  private final Map<String, PresenceNamespace> namespaces = new HashMap<>();
  private int devices;
  private int rooms;
  private int watchers;
  private long version;

  Presences(MemberTable table, MemberSessions sessions, long epoch, PresenceContext context) {
    this.table = table;
    this.sessions = sessions;
    this.epoch = epoch;
    this.context = context;
    this.log = new PresenceLog(context.resumeBytes());
  }

  /** Above 0, and another one for each time that a shard is loaded. */
  static long newEpoch(PresenceContext context) {
    return 1 + context.random().nextLong(Long.MAX_VALUE - 1);
  }

  /** The sessions are loaded. Each has its ttl to be heard, and to track its devices again. */
  void load(Tx tx) {
    for (RegistryNamespace loaded : table.namespaces()) {
      loaded.sessions.values().stream()
          .filter(session -> session.state != MemberSession.State.CLOSED)
          .map(session -> session.ttl)
          .max(Duration::compareTo)
          .ifPresent(ttl -> completeAfter(namespace(loaded.name), ttl, tx));
    }
  }

  private void completeAfter(PresenceNamespace namespace, Duration ttl, Tx tx) {
    long at = tx.nanos() + ttl.toNanos();
    namespace.completeAt = at;
    tx.tellAt(
        at,
        complete -> {
          namespace.completeAt = null;
          List.copyOf(namespace.rooms.values()).forEach(room -> room.progress(complete.nanos()));
          forgetIfUnused(namespace);
        });
  }

  public long epoch() {
    return epoch;
  }

  /** That of the last change. */
  long version() {
    return version;
  }

  PresenceEvents events() {
    return context.events();
  }

  PresenceLog log() {
    return log;
  }

  PresenceNamespace namespace(String name) {
    return namespaces.computeIfAbsent(name, PresenceNamespace::new);
  }

  private Optional<PresenceRoom> find(String namespace, String room) {
    return Optional.ofNullable(namespaces.get(namespace)).map(space -> space.rooms.get(room));
  }

  private PresenceRoom room(PresenceNamespace namespace, String name) {
    return namespace.rooms.computeIfAbsent(
        name,
        made -> {
          namespace.bytes += PresenceRoom.BYTES;
          countRooms(1);
          return new PresenceRoom(namespace, made, this);
        });
  }

  void countWatchers(int change) {
    watchers += change;
    events().watchers(change);
  }

  private void countRooms(int change) {
    rooms += change;
    events().rooms(change);
  }

  void forgetIfUnused(PresenceRoom room) {
    PresenceNamespace namespace = room.namespace;
    if (room.isUnused() && namespace.rooms.remove(room.name, room)) {
      namespace.bytes -= PresenceRoom.BYTES;
      countRooms(-1);
      forgetIfUnused(namespace);
    }
  }

  void forgetIfUnused(PresenceNamespace namespace) {
    if (namespace.isUnused()) {
      namespaces.remove(namespace.name, namespace);
    }
  }

  /**
   * Makes a device present, or gives it another meta.
   *
   * @param epochKnown the epoch that the caller goes by
   * @param seq orders the calls of the session
   */
  public TrackResult track(
      SessionKey key, DeviceName name, Map<String, String> meta, long epochKnown, long seq, Tx tx) {
    MemberSession session = sessions.require(key);
    TrackResult result = decide(session, name, Map.copyOf(meta), epochKnown, seq, tx);
    events().tracked(result.outcome());
    return result;
  }

  private TrackResult decide(
      MemberSession session,
      DeviceName name,
      Map<String, String> meta,
      long epochKnown,
      long seq,
      Tx tx) {
    Optional<Tracked> was =
        Optional.ofNullable(session.presences).map(known -> known.devices.get(name));
    Optional<PresenceView> before = was.map(Tracked::view);
    if (epochKnown != epoch) {
      return new TrackResult(TrackResult.Outcome.EPOCH_CHANGED, before);
    }
    if (was.map(last -> seq < last.seq()).orElseGet(() -> isStale(session, name, seq))) {
      return new TrackResult(TrackResult.Outcome.STALE, before);
    }
    boolean same = before.isPresent() && before.get().meta().equals(meta);
    if (was.isPresent() && was.get().seq() == seq && !same) {
      throw Failure.Invalid.field("seq", seq, "a higher one than that of another call");
    }
    PresenceView after = same ? before.get() : view(session, name, meta, before);
    if (!same) {
      admit(session, name, before, after);
      version++;
      PresenceNamespace namespace = namespace(session.key.namespace());
      if (session.presences == null) {
        session.presences = new SessionPresences(namespace, this);
      }
      countDevices(before.isPresent() ? 0 : 1);
      room(namespace, name.room()).change(after.at(), before, Optional.of(after), tx);
    }
    session.presences.tracked(name, new Tracked(seq, after));
    return new TrackResult(TrackResult.Outcome.TRACKED, Optional.of(after));
  }

  private static boolean isStale(MemberSession session, DeviceName name, long seq) {
    return session.presences != null && session.presences.isStale(name, seq);
  }

  /** As the next change makes it. */
  private PresenceView view(
      MemberSession session,
      DeviceName name,
      Map<String, String> meta,
      Optional<PresenceView> before) {
    long next = version + 1;
    return new PresenceView(
        new DevicePosition(name.key(), session.key.id(), name.device()),
        meta,
        next,
        before.map(PresenceView::joinVersion).orElse(next),
        before.map(PresenceView::joinedAt).orElseGet(table::time));
  }

  private void admit(
      MemberSession session, DeviceName name, Optional<PresenceView> before, PresenceView after) {
    Optional<PresenceNamespace> namespace =
        Optional.ofNullable(namespaces.get(session.key.namespace()));
    Optional<PresenceRoom> room = namespace.map(space -> space.rooms.get(name.room()));
    if (before.isEmpty()) {
      if (context.isFull().getAsBoolean()) {
        throw new Failure.Exhausted(
            ErrorReason.ERROR_REASON_OVERLOADED,
            "memory",
            "the heap of this node is nearly full, so that no device may be added",
            Duration.ofSeconds(1));
      }
      int own = session.presences == null ? 0 : session.presences.devices.size();
      PresenceNamespace.admit(
          "devices of session " + session.key.id(), own + 1, SessionPresences.MAX_DEVICES);
      room.ifPresent(
          there ->
              PresenceNamespace.admit(
                  "devices of room " + there.name,
                  there.devices.size() + 1,
                  PresenceRoom.MAX_DEVICES));
    }
    long more =
        after.bytes()
            - before.map(PresenceView::bytes).orElse(0)
            + (room.isPresent() ? 0 : PresenceRoom.BYTES);
    namespace.ifPresent(space -> space.admitBytes(more));
  }

  private void countDevices(int change) {
    devices += change;
    events().devices(change);
  }

  /** Ends the presence of a device, unless a later call has tracked it. */
  public UntrackResult untrack(SessionKey key, DeviceName name, long seq, Tx tx) {
    MemberSession session = sessions.require(key);
    if (session.presences == null) {
      session.presences = new SessionPresences(namespace(key.namespace()), this);
    }
    UntrackResult result = untrack(session.presences, name, seq, tx);
    events().untracked(result);
    return result;
  }

  private UntrackResult untrack(SessionPresences of, DeviceName name, long seq, Tx tx) {
    Tracked was = of.devices.get(name);
    if (was != null && seq <= was.seq()) {
      return UntrackResult.STALE;
    }
    Untracked last = of.untracked(name);
    if (last != null && seq <= last.seq()) {
      return seq == last.seq() ? last.outcome() : UntrackResult.GONE;
    }
    UntrackResult result = was == null ? UntrackResult.GONE : UntrackResult.LEFT;
    if (was != null) {
      remove(of.namespace, name.room(), was.view(), tx);
    }
    of.untracked(name, new Untracked(seq, result));
    return result;
  }

  void remove(PresenceNamespace namespace, String roomName, PresenceView device, Tx tx) {
    version++;
    countDevices(-1);
    PresenceRoom room = namespace.rooms.get(roomName);
    room.change(device.at(), Optional.of(device), Optional.empty(), tx);
    forgetIfUnused(room);
  }

  /** A page of the devices in a room. */
  public PresencePage list(PresencePage.Request request, Tx tx) {
    Map<DevicePosition, PresenceView> ahead =
        find(request.namespace(), request.room())
            .<Map<DevicePosition, PresenceView>>map(
                room -> room.devices.tailMap(request.from(), false))
            .orElse(Collections.emptyMap());
    return PresencePage.of(ahead, request, incompleteFor(request.namespace(), tx.nanos()));
  }

  private Optional<Duration> incompleteFor(String namespace, long now) {
    return Optional.ofNullable(namespaces.get(namespace))
        .flatMap(space -> space.incompleteFor(now));
  }

  /** How many there are; it counts nothing. */
  public PresenceNews.Count count(String namespace, String room, Tx tx) {
    Optional<PresenceRoom> found = find(namespace, room);
    return new PresenceNews.Count(
        found.map(there -> there.keys).orElse(0),
        found.map(there -> there.devices.size()).orElse(0),
        incompleteFor(namespace, tx.nanos()));
  }

  /**
   * Tells a watcher who is in a room, and then what changes.
   *
   * @param after goes on after this position, if that is possible
   */
  public PresenceSubscription watch(
      String namespace,
      String roomName,
      PresenceWatcher watcher,
      Optional<PresenceNews.Position> after,
      Tx tx) {
    PresenceRoom room = room(namespace(namespace), roomName);
    PresenceSubscription made = new PresenceSubscription(room, watcher, false);
    room.watch(made, after, tx);
    return made;
  }

  /** Tells a watcher how many are in a room, and again whenever that has changed. */
  public PresenceSubscription watchCount(
      String namespace, String roomName, PresenceWatcher watcher, Tx tx) {
    PresenceRoom room = room(namespace(namespace), roomName);
    PresenceSubscription made = new PresenceSubscription(room, watcher, true);
    room.watch(made, Optional.empty(), tx);
    return made;
  }

  /** Tells all watchers that they have missed nothing. */
  void progress(long now) {
    for (PresenceNamespace namespace : List.copyOf(namespaces.values())) {
      List.copyOf(namespace.rooms.values()).forEach(room -> room.progress(now));
    }
  }

  void removeFromGauges() {
    events().devices(-devices);
    events().rooms(-rooms);
    events().watchers(-watchers);
  }

  /** Namespaces that something is kept of. */
  int namespaces() {
    return namespaces.size();
  }
}
