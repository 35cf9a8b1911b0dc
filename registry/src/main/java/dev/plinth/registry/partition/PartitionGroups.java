package dev.plinth.registry.partition;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The partition groups of one shard. Who may join, and who has ended, is said by the registry's
 * members in the same transaction. Every call refuses by throwing before it changes anything.
 */
public final class PartitionGroups {
  public static final int MAX_PARTITIONS = 4096;
  static final int MAX_MEMBERS = 4096;

  private final PartitionEvents events;
  private final Supplier<Instant> time;
  private final Map<String, PartitionNamespace> namespaces = new HashMap<>();

  /** Of sessions that are open, by namespace and id. */
  private final Map<String, Set<PartitionMember>> superseded = new HashMap<>();

  /** What the registry knows of a member while rows are loaded. */
  public interface RegisteredMembers {
    boolean isOpen(String namespace, String sessionId);

    boolean isDraining(PartitionMemberKey member);
  }

  /**
   * @param time the wall clock's, as exact as rows are
   */
  public PartitionGroups(Supplier<Instant> time, PartitionEvents events) {
    this.time = time;
    this.events = events;
  }

  /** After the members are loaded. What was left to do goes on. */
  public void load(List<Row> rows, RegisteredMembers registered, Tx tx) {
    RowReader.each(
        rows,
        PartitionRows.GROUPS,
        row -> make(PartitionGroupName.ofPath(row.key()), row.integer()));
    Map<Long, PartitionMember> members = new HashMap<>();
    RowReader.each(
        rows,
        PartitionRows.MEMBERS,
        row -> {
          PartitionMember member = load(row, registered);
          members.put(member.id, member);
        });
    RowReader.each(
        rows,
        PartitionRows.PARTITIONS,
        row -> {
          PartitionMember owner = members.get(row.number());
          Partition partition = owner.group.partitions[(int) PartitionRows.numberOf(row)];
          PartitionRows.read(row, partition, owner);
          owner.group.restore(partition, tx);
        });
    groups().forEach(group -> group.stepLater(tx));
  }

  private PartitionMember load(RowReader row, RegisteredMembers registered) {
    PartitionGroup group = find(PartitionRows.groupOf(row)).orElseThrow();
    PartitionMember member = PartitionRows.member(row, group);
    if (!registered.isOpen(group.name.namespace(), member.key.sessionId())) {
      member.state = PartitionMember.State.ENDED;
    }
    switch (member.state) {
      case JOINED -> {
        member.draining = registered.isDraining(member.key);
        group.sharers.add(member);
      }
      case SUPERSEDED -> {
        group.sharers.add(member);
        addSuperseded(member);
      }
      case ENDED -> {}
    }
    return member;
  }

  private PartitionGroup make(PartitionGroupName name, int count) {
    PartitionGroup group = new PartitionGroup(name, count, events, time, this::remove);
    namespaces.computeIfAbsent(name.namespace(), PartitionNamespace::new).add(group);
    return group;
  }

  private void remove(PartitionGroup group) {
    PartitionNamespace namespace = namespaces.get(group.name.namespace());
    namespace.remove(group);
    if (namespace.isEmpty()) {
      namespaces.remove(group.name.namespace());
    }
  }

  private Optional<PartitionGroup> find(PartitionGroupName name) {
    return Optional.ofNullable(namespaces.get(name.namespace()))
        .flatMap(space -> space.find(name.group()));
  }

  private Optional<PartitionMember> find(PartitionMemberKey key) {
    return find(key.group()).map(group -> group.sharers.find(key));
  }

  private PartitionMember require(PartitionMemberKey key) {
    return find(key)
        .orElseThrow(
            () ->
                new Failure.Missing(
                    ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED,
                    new Failure.Resource("partition member", key.toString())));
  }

  private Stream<PartitionGroup> groups() {
    return namespaces.values().stream().flatMap(PartitionNamespace::groups);
  }

  /**
   * Makes a registered member share the partitions of its group.
   *
   * @param draining it is not to get any for now
   * @param count of partitions that the group has, or is to have
   */
  public PartitionGroupSummary join(PartitionMemberKey key, boolean draining, int count, Tx tx) {
    Optional<PartitionGroup> there = find(key.group());
    there.ifPresentOrElse(group -> checkCount(group, count), () -> admit(key.group(), count));
    PartitionMember was = there.map(group -> group.sharers.find(key)).orElse(null);
    if (was == null) {
      there.ifPresent(PartitionGroups::admitMember);
      PartitionGroup group = there.orElseGet(() -> begin(key.group(), count, tx));
      PartitionMember member =
          new PartitionMember(tx.token(), key, group, PartitionMember.State.JOINED);
      member.draining = draining;
      group.join(member, tx);
    } else if (was.state == PartitionMember.State.SUPERSEDED) {
      removeSuperseded(was);
      was.group.rejoin(was, draining, tx);
    }
    return find(key.group()).orElseThrow().summary();
  }

  private PartitionGroup begin(PartitionGroupName name, int count, Tx tx) {
    tx.put(PartitionRows.keyOf(name), PartitionRows.encode(count));
    return make(name, count);
  }

  private static void checkCount(PartitionGroup group, int count) {
    int current = group.partitions.length;
    if (count != current) {
      throw new Failure.Forbidden(
          ErrorReason.ERROR_REASON_DEFINITION_FIXED,
          "partition group " + group.name.path(),
          "partition group %s has %d partitions (expected: %d)"
              .formatted(group.name.path(), current, count),
          Map.of(
              "group", group.name.path(),
              "current", String.valueOf(current),
              "expected", String.valueOf(count)));
    }
  }

  private void admit(PartitionGroupName name, int count) {
    Optional.ofNullable(namespaces.get(name.namespace())).ifPresent(space -> space.admit(count));
  }

  private static void admitMember(PartitionGroup group) {
    if (group.sharers.size() >= MAX_MEMBERS) {
      throw PartitionNamespace.full(
          "members of partition group " + group.name.path(),
          "a partition group may have no more than " + MAX_MEMBERS + " members");
    }
  }

  /**
   * A member says that it acts for nothing of the group any more.
   *
   * @return how many partitions it let go of; nothing if it had not joined
   */
  public OptionalInt leave(PartitionMemberKey key, Tx tx) {
    Optional<PartitionMember> member = find(key);
    if (member.isEmpty()) {
      return OptionalInt.empty();
    }
    int owned = member.get().owned();
    end(member.get(), tx);
    return OptionalInt.of(owned);
  }

  private void end(PartitionMember member, Tx tx) {
    removeSuperseded(member);
    member.group.end(member, tx);
  }

  /** A member says that it acts no more for partitions that were revoked. */
  public PartitionReleases release(PartitionMemberKey key, List<PartitionToken> released, Tx tx) {
    PartitionMember member = require(key);
    PartitionReleases releases = member.group.release(member, released, tx);
    if (member.group.sharers.find(key) == null) {
      removeSuperseded(member);
    }
    return releases;
  }

  /** The registry's member is DEAD or has LEFT. */
  public void memberEnded(PartitionMemberKey key, Tx tx) {
    find(key)
        .filter(member -> member.state == PartitionMember.State.JOINED)
        .ifPresent(member -> end(member, tx));
  }

  /** The registry's member of this name is of another session now. */
  public void memberReplaced(PartitionMemberKey key, Tx tx) {
    find(key)
        .filter(member -> member.state == PartitionMember.State.JOINED)
        .ifPresent(
            member -> {
              member.group.supersede(member, tx);
              if (member.group.sharers.find(key) != null) {
                addSuperseded(member);
              }
            });
  }

  /** The registry's member asked for no more work, or for work again. */
  public void memberDrains(PartitionMemberKey key, boolean draining, Tx tx) {
    find(key)
        .filter(member -> member.state == PartitionMember.State.JOINED)
        .ifPresent(member -> member.group.drain(member, draining, tx));
  }

  /** Nobody acts in its name any more. */
  public void sessionEnded(String namespace, String sessionId, Tx tx) {
    Set<PartitionMember> ended = superseded.remove(sessionPath(namespace, sessionId));
    if (ended != null) {
      ended.forEach(member -> member.group.endWithSession(member, tx));
    }
  }

  private static String sessionPath(String namespace, String sessionId) {
    return namespace + "/" + sessionId;
  }

  private void addSuperseded(PartitionMember member) {
    superseded
        .computeIfAbsent(
            sessionPath(member.key.group().namespace(), member.key.sessionId()),
            made -> new LinkedHashSet<>())
        .add(member);
  }

  private void removeSuperseded(PartitionMember member) {
    if (member.state == PartitionMember.State.SUPERSEDED) {
      superseded.computeIfPresent(
          sessionPath(member.key.group().namespace(), member.key.sessionId()),
          (path, all) -> {
            all.remove(member);
            return all.isEmpty() ? null : all;
          });
    }
  }

  /** All that a member owns. */
  public PartitionAssignment assignment(PartitionMemberKey key) {
    PartitionMember member = require(key);
    List<PartitionView> owned =
        Stream.concat(member.kept.stream(), member.revoked.stream())
            .sorted((a, b) -> Integer.compare(a.number, b.number))
            .map(Partition::view)
            .toList();
    return new PartitionAssignment(
        member.group.partitions.length, member.group.sharers.joined(), owned);
  }

  /** A page of the partitions of a group. */
  public PartitionPage list(PartitionPage.Request request) {
    Optional<PartitionGroup> group = find(request.group());
    if (group.isEmpty()) {
      return new PartitionPage(List.of(), OptionalInt.empty(), PartitionGroupSummary.NONE);
    }
    Partition[] all = group.get().partitions;
    int last = (int) Math.min(all.length, request.from() + visits(request));
    List<PartitionView> page = new ArrayList<>();
    int next = request.from();
    while (next < last && page.size() < request.size()) {
      Partition partition = all[next++];
      if (request.owner().isEmpty() || request.owner().equals(partition.ownerName())) {
        page.add(partition.view());
      }
    }
    return new PartitionPage(
        page,
        next < all.length ? OptionalInt.of(next) : OptionalInt.empty(),
        group.get().summary());
  }

  private static long visits(PartitionPage.Request request) {
    return (long) request.size() * PartitionPage.MAX_VISITS_EACH;
  }

  /**
   * The partitions of a group.
   *
   * @param owner only those of this owner; all if empty
   */
  public List<PartitionView> snapshot(PartitionGroupName name, String owner) {
    return find(name).stream()
        .flatMap(group -> Arrays.stream(group.partitions))
        .filter(partition -> owner.isEmpty() || owner.equals(partition.ownerName()))
        .map(Partition::view)
        .toList();
  }

  /** How many partitions a group has; 0 if there is no such group. */
  public int count(PartitionGroupName name) {
    return find(name).map(group -> group.partitions.length).orElse(0);
  }

  public PartitionExplanation explain(PartitionGroupName name, int number, Tx tx) {
    PartitionGroup group =
        find(name)
            .filter(found -> number < found.partitions.length)
            .orElseThrow(
                () ->
                    new Failure.Missing(
                        ErrorReason.ERROR_REASON_PARTITION_UNKNOWN,
                        new Failure.Resource("partition", name.path() + "/" + number)));
    return PartitionExplainer.explain(group, group.partitions[number], tx.nanos());
  }

  /** Namespaces that something is kept of. */
  int namespaces() {
    return namespaces.size();
  }

  public void removeFromGauges() {
    groups().forEach(PartitionGroup::removeFromGauges);
  }
}
