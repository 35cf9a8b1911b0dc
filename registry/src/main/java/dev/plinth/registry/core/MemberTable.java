package dev.plinth.registry.core;

import dev.plinth.registry.partition.PartitionEvents;
import dev.plinth.registry.partition.PartitionGroups;
import dev.plinth.shards.Event;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The namespaces of a shard with their members, the rows of those, and what watchers are told. */
final class MemberTable {
  /** For how long the name and last incarnation of an ended member are kept. */
  static final Duration TOMBSTONE = Duration.ofMinutes(10);

  // A member without its texts, and its places in maps.
  static final int OBJECT_BYTES = 400;

  final RegistryEvents events;
  final PartitionGroups partitions;
  private final InstantSource clock;
  private final Map<String, RegistryNamespace> namespaces = new HashMap<>();

  /** Ended members, first to be forgotten first. */
  private final Set<Member> tombstones = new LinkedHashSet<>();

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

  int tombstones() {
    return tombstones.size();
  }

  /** Stores a member as it is. */
  void put(Member member, Tx tx) {
    byte[] row = RegistryRows.encode(member);
    weigh(member, row.length);
    tx.put(RegistryRows.keyOf(member), row);
  }

  void weigh(Member member, int rowBytes) {
    int weight = OBJECT_BYTES + member.name.path().length() + rowBytes;
    member.group.namespace.memberBytes += weight - member.weight;
    member.weight = weight;
  }

  void forgetWeight(Member member) {
    member.group.namespace.memberBytes -= member.weight;
  }

  void emit(MemberChange.Type type, Member member, Map<String, String> labelsBefore, Tx tx) {
    MemberView view = member.view();
    if (member.end == null) {
      setHash(member, view.hash());
    }
    MemberChange.Checksums checksums =
        new MemberChange.Checksums(member.group.checksum, member.group.namespace.checksum);
    MemberChange change = new MemberChange(type, view, labelsBefore, checksums);
    tx.emit(new Event(member.name.path(), change, view.bytes()));
  }

  private static void setHash(Member member, long hash) {
    member.group.checksum += hash - member.hash;
    member.group.namespace.checksum += hash - member.hash;
    member.hash = hash;
  }

  void changed(Member member, Tx tx) {
    emit(MemberChange.Type.CHANGED, member, member.attributes.labels(), tx);
  }

  /** Adds one that is there, as it was registered or loaded. */
  void add(Member member, MemberSession session) {
    member.session = session;
    session.members.add(member);
    member.group.there.put(member.name.member(), member);
    setHash(member, member.view().hash());
    events.members(1);
  }

  /** Takes out one that is there; its row is the caller's concern. */
  void remove(Member member) {
    unhold(member);
    member.session.members.remove(member);
    member.group.there.remove(member.name.member());
    setHash(member, 0);
    events.members(-1);
  }

  void hold(Member member, Tx tx) {
    member.group.hold(member, tx.nanos());
    member.group.namespace.held++;
    events.held(1);
  }

  void unhold(Member member) {
    if (member.heldUntil != null) {
      member.group.unhold(member);
      member.group.namespace.held--;
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
    tombstones.remove(member);
    forgetWeight(member);
  }

  private void forgetLater(Tx tx) {
    if (!forgets && !tombstones.isEmpty()) {
      forgets = true;
      tx.at(tombstones.iterator().next().forgetAt, this::forget);
    }
  }

  private void forget(Tx tx) {
    forgets = false;
    Iterator<Member> first = tombstones.iterator();
    while (first.hasNext() && tx.writes() < MemberGroup.MAX_WRITES) {
      Member member = first.next();
      if (member.forgetAt - tx.nanos() > 0) {
        break;
      }
      first.remove();
      member.group.ended.remove(member.name.member());
      forgetWeight(member);
      tx.delete(RegistryRows.keyOf(member));
      forgetIfUnused(member.group);
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
