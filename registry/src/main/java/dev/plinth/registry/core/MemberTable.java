package dev.plinth.registry.core;

import dev.plinth.registry.partition.PartitionEvents;
import dev.plinth.registry.partition.PartitionGroups;
import dev.plinth.shards.Event;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The namespaces of a shard with their members, the rows of those, and what watchers are told. */
final class MemberTable {
  /** For how long the name and last incarnation of an ended member are kept. */
  static final Duration TOMBSTONE = Duration.ofMinutes(10);

  final RegistryEvents events;
  final PartitionGroups partitions;
  private final InstantSource clock;
  private final Map<String, RegistryNamespace> namespaces = new HashMap<>();

  /** Ended members, first to be forgotten first; some of their names may be in use again. */
  private final Deque<Member> tombstones = new ArrayDeque<>();

  private boolean forgets;

  MemberTable(InstantSource clock, RegistryEvents events, PartitionEvents partitionEvents) {
    this.clock = clock;
    this.events = events;
    this.partitions = new PartitionGroups(this::time, partitionEvents);
  }

  /** The wall clock's, as exact as rows are. */
  Instant time() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }

  RegistryNamespace namespace(String name) {
    return namespaces.computeIfAbsent(name, RegistryNamespace::new);
  }

  /** For one who only looks: a look leaves no trace. */
  Optional<RegistryNamespace> find(String name) {
    return Optional.ofNullable(namespaces.get(name));
  }

  Optional<MemberGroup> group(String namespace, String group) {
    return find(namespace).map(space -> space.groups.get(group));
  }

  Optional<Member> there(MemberName name) {
    return group(name.namespace(), name.group()).map(group -> group.there.get(name.member()));
  }

  Optional<Member> ended(MemberName name) {
    return group(name.namespace(), name.group()).map(group -> group.ended.get(name.member()));
  }

  Collection<RegistryNamespace> namespaces() {
    return namespaces.values();
  }

  int size() {
    return namespaces.size();
  }

  /** Stores a member as it is. */
  void put(Member member, Tx tx) {
    byte[] row = RegistryRows.encode(member);
    member.group.namespace.memberBytes += row.length - member.rowBytes;
    member.rowBytes = row.length;
    tx.put(RegistryRows.keyOf(member), row);
  }

  void emit(MemberChange.Type type, Member member, Map<String, String> labelsBefore, Tx tx) {
    MemberView view = member.view();
    tx.emit(
        new Event(member.name.path(), new MemberChange(type, view, labelsBefore), view.bytes()));
  }

  void changed(Member member, Tx tx) {
    emit(MemberChange.Type.CHANGED, member, member.attributes.labels(), tx);
  }

  /** Adds one that is there, as it was registered or loaded. */
  void add(Member member, MemberSession session) {
    member.session = session;
    session.members.add(member);
    member.group.there.put(member.name.member(), member);
    events.members(1);
  }

  /** Takes out one that is there; its row is the caller's concern. */
  void remove(Member member) {
    unhold(member);
    member.session.members.remove(member);
    member.group.there.remove(member.name.member());
    events.members(-1);
  }

  void hold(Member member, Tx tx) {
    member.group.hold(member, tx.nanos());
    events.held(1);
  }

  void unhold(Member member) {
    if (member.heldUntil != null) {
      member.group.unhold(member);
      events.held(-1);
    }
  }

  /** A member that is there ends; what is left of it is kept for a while. */
  void end(Member member, MemberEnd how, Tx tx) {
    remove(member);
    Map<String, String> labels = member.attributes.labels();
    member.end = how;
    member.since = time();
    boolean dead = how.state() == MemberState.DEAD;
    emit(dead ? MemberChange.Type.DEAD : MemberChange.Type.LEFT, member, labels, tx);
    member.attributes = MemberAttributes.NONE;
    member.session = null;
    partitions.memberEnded(member.partitionKey(), tx);
    put(member, tx);
    bury(member, tx);
    events.ended(how.cause());
  }

  /** Keeps what is left of a member for its full time from now. */
  void bury(Member member, Tx tx) {
    member.group.ended.put(member.name.member(), member);
    member.forgetAt = tx.nanos() + TOMBSTONE.toNanos();
    tombstones.add(member);
    forgetLater(tx);
  }

  /** Its name is in use again, under the same row. */
  void unbury(Member member) {
    member.group.ended.remove(member.name.member());
    member.group.namespace.memberBytes -= member.rowBytes;
  }

  private void forgetLater(Tx tx) {
    if (!forgets && !tombstones.isEmpty()) {
      forgets = true;
      tx.at(tombstones.element().forgetAt, this::forget);
    }
  }

  private void forget(Tx tx) {
    forgets = false;
    while (!tombstones.isEmpty()
        && tombstones.element().forgetAt - tx.nanos() <= 0
        && tx.writes() < MemberGroup.MAX_WRITES) {
      Member member = tombstones.remove();
      if (member.group.ended.remove(member.name.member(), member)) {
        member.group.namespace.memberBytes -= member.rowBytes;
        tx.delete(RegistryRows.keyOf(member));
        forgetIfUnused(member.group);
      }
    }
    forgetLater(tx);
  }

  void forgetIfUnused(MemberGroup group) {
    if (group.isEmpty()) {
      group.namespace.groups.remove(group.name, group);
      forgetIfUnused(group.namespace);
    }
  }

  /** A namespace that was touched once must not stay for ever. */
  void forgetIfUnused(RegistryNamespace namespace) {
    if (namespace.isUnused()) {
      namespaces.remove(namespace.name, namespace);
    }
  }
}
