package dev.plinth.registry.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.partition.PartitionEvents;
import dev.plinth.registry.partition.PartitionGroupSummary;
import dev.plinth.registry.partition.PartitionGroups;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.ExpectedVersion;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * The members of one shard's groups. Only {@link #register} makes one, each time as a new
 * incarnation. Every call refuses by throwing before it changes anything.
 */
public final class Members {
  final MemberTable table;
  private final MemberSessions sessions;

  Members(InstantSource clock, RegistryEvents events, PartitionEvents partitionEvents) {
    table = new MemberTable(clock, events, partitionEvents);
    sessions = new MemberSessions(table);
  }

  void load(List<Row> rows, Tx tx) {
    RowReader.each(rows, RegistryRows.SESSIONS, row -> sessions.add(RegistryRows.session(row), tx));
    RowReader.each(
        rows,
        RegistryRows.OVERRIDES,
        row -> {
          MemberName name = MemberName.ofPath(row.key());
          table.namespace(name.namespace()).override(name, Optional.of(RegistryRows.override(row)));
        });
    for (Row row : rows) {
      if (row.key().startsWith(RegistryRows.MEMBERS)) {
        load(RowReader.row(row, RegistryRows.MEMBERS), row.value().length, tx);
      }
    }
    table.partitions.load(rows, new RegisteredForPartitions(table), tx);
  }

  private void load(RowReader row, int bytes, Tx tx) {
    MemberName name = MemberName.ofPath(row.key());
    RegistryNamespace namespace = table.namespace(name.namespace());
    Member member = RegistryRows.member(row, name, namespace.group(name.group()));
    member.rowBytes = bytes;
    namespace.memberBytes += bytes;
    if (member.end != null) {
      table.bury(member, tx);
      return;
    }
    MemberSession session = namespace.sessions.get(member.sessionId);
    if (session == null) {
      throw new IllegalStateException(name.path() + " has no session " + member.sessionId);
    }
    table.add(member, session);
  }

  public MemberSessions sessions() {
    return sessions;
  }

  public PartitionGroups partitions() {
    return table.partitions;
  }

  /**
   * Makes a member share the partitions of its group.
   *
   * @param count of partitions that the group has, or is to have
   */
  public PartitionGroupSummary joinGroup(MemberName name, SessionKey key, int count, Tx tx) {
    MemberSession session = sessions.require(key);
    Member member = table.there(name).orElseThrow(() -> unknown(name));
    if (member.session != session) {
      throw stale(member, "it is of session " + member.sessionId, key.id());
    }
    return table.partitions.join(member.partitionKey(), member.draining, count, tx);
  }

  /**
   * Makes a member, as a new incarnation.
   *
   * @param replace also where a member of another session that is ALIVE or DRAINING has the name
   */
  public RegisterResult register(
      MemberName name, SessionKey key, MemberAttributes attributes, boolean replace, Tx tx) {
    MemberSession session = sessions.require(key);
    Optional<Member> was = table.there(name);
    boolean own = was.isPresent() && was.get().session == session;
    if (was.isPresent() && !own && !replace && isTaken(was.get())) {
      return new RegisterResult.Taken(was.get().view());
    }
    if (!own) {
      admitIn(session);
    }
    if (was.isEmpty()) {
      table.group(name.namespace(), name.group()).ifPresent(MemberGroup::admitMember);
    }
    RegistryNamespace namespace = table.namespace(name.namespace());
    namespace.admitBytes(RegistryRows.bytes(attributes));
    sessions.registers(session, tx);
    Member member = new Member(name, tx.token(), key.id(), namespace.group(name.group()));
    member.attributes = attributes;
    member.version = 1;
    member.since = table.time();
    table.ended(name).ifPresent(table::unbury);
    was.ifPresent(old -> replace(old, session, tx));
    session.lost.remove(name);
    table.add(member, session);
    table.partitions.memberDrains(member.partitionKey(), false, tx);
    table.put(member, tx);
    Map<String, String> before = was.map(old -> old.attributes.labels()).orElse(Map.of());
    table.emit(MemberChange.Type.REGISTERED, member, before, tx);
    table.events.registered();
    return new RegisterResult.Registered(member.view());
  }

  private static boolean isTaken(Member member) {
    return member.state() == MemberState.ALIVE || member.state() == MemberState.DRAINING;
  }

  private static void admitIn(MemberSession session) {
    if (session.members.size() >= MemberSessions.MAX_MEMBERS) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          "members of session " + session.key.id(),
          "a session may have no more than " + MemberSessions.MAX_MEMBERS + " members",
          Duration.ofSeconds(1));
    }
  }

  /** The row is overwritten by that of the next incarnation. */
  private void replace(Member old, MemberSession by, Tx tx) {
    MemberSession session = old.session;
    table.remove(old);
    old.group.namespace.memberBytes -= old.rowBytes;
    if (session != by) {
      table.partitions.memberReplaced(old.partitionKey(), tx);
      sessions.lose(session, old.name);
      sessions.removeIfOver(session, tx);
    }
  }

  /** Changes a member that is there in this incarnation. */
  public MemberView update(
      MemberName name, long incarnation, MemberUpdate update, Optional<Long> expected, Tx tx) {
    Member member = requireThere(name, incarnation);
    ExpectedVersion.check("member " + name.path(), expected, member.version);
    MemberAttributes before = member.attributes;
    MemberAttributes next = update.of(before);
    boolean draining = update.draining().orElse(member.draining);
    member.group.namespace.admitBytes(RegistryRows.bytes(next) - RegistryRows.bytes(before));
    member.attributes = next;
    member.version++;
    if (draining != member.draining) {
      member.draining = draining;
      member.since = table.time();
      table.partitions.memberDrains(member.partitionKey(), draining, tx);
    }
    table.put(member, tx);
    table.emit(MemberChange.Type.CHANGED, member, before.labels(), tx);
    return member.view();
  }

  private Member requireThere(MemberName name, long incarnation) {
    Optional<Member> there = table.there(name);
    Member member = there.or(() -> table.ended(name)).orElseThrow(() -> unknown(name));
    if (there.isEmpty() || member.incarnation != incarnation) {
      throw stale(member, "", String.valueOf(incarnation));
    }
    return member;
  }

  /**
   * @param as whose it is, if that is what the caller expected otherwise
   */
  private static Failure stale(Member member, String as, String expected) {
    String path = member.name.path();
    return new Failure.Forbidden(
        ErrorReason.ERROR_REASON_INCARNATION_STALE,
        "member " + path,
        "member %s is %s in incarnation %d%s (expected: %s)"
            .formatted(
                path, member.state(), member.incarnation, as.isEmpty() ? "" : "; " + as, expected),
        Map.of(
            "member",
            path,
            "state",
            member.state().name(),
            "current",
            String.valueOf(member.incarnation),
            "expected",
            expected));
  }

  private static Failure unknown(MemberName name) {
    return new Failure.Missing(
        ErrorReason.ERROR_REASON_MEMBER_UNKNOWN, new Failure.Resource("member", name.path()));
  }

  /**
   * Ends one member.
   *
   * @param sessionId the session that it must belong to; empty for any
   * @param incarnation that it must have, if given
   */
  public DeregisterResult deregister(
      MemberName name, String sessionId, Optional<Long> incarnation, MemberEnd how, Tx tx) {
    Optional<Member> there = table.there(name);
    if (there.isEmpty()) {
      return DeregisterResult.GONE;
    }
    Member member = there.get();
    boolean ofSession = sessionId.isEmpty() || sessionId.equals(member.sessionId);
    if (!ofSession || incarnation.isPresent() && incarnation.get() != member.incarnation) {
      return DeregisterResult.SUPERSEDED;
    }
    MemberSession session = member.session;
    table.end(member, how, tx);
    if (how.cause() == MemberEnd.Cause.FORCED) {
      sessions.lose(session, name);
    } else {
      session.lost.remove(name);
    }
    sessions.removeIfOver(session, tx);
    return DeregisterResult.LEFT;
  }

  /** One that is there or ended lately. */
  public MemberView get(MemberName name) {
    return known(name).view();
  }

  public MemberExplanation explain(MemberName name, Tx tx) {
    return Explainer.explain(known(name), tx.nanos());
  }

  /** Nothing if the member of this name is not there, or of another session. */
  public Optional<MemberExplanation> explainIfOf(MemberName name, String sessionId, Tx tx) {
    return table
        .there(name)
        .filter(member -> member.sessionId.equals(sessionId))
        .map(member -> Explainer.explain(member, tx.nanos()));
  }

  private Member known(MemberName name) {
    return table.there(name).or(() -> table.ended(name)).orElseThrow(() -> unknown(name));
  }

  /** A page of members that are there; it looks at few more than it returns. */
  public MemberPage list(MemberPage.Request request) {
    MemberPage.Builder page = new MemberPage.Builder(request);
    Optional<RegistryNamespace> namespace = table.find(request.namespace());
    int held = 0;
    if (namespace.isPresent() && request.group().isEmpty()) {
      held = namespace.get().held();
      for (MemberGroup group :
          namespace.get().groups.tailMap(request.after().group(), true).values()) {
        if (!page.add(group)) {
          break;
        }
      }
    } else {
      Optional<MemberGroup> group = table.group(request.namespace(), request.group());
      held = group.map(MemberGroup::held).orElse(0);
      group.ifPresent(page::add);
    }
    return page.build(held);
  }

  /** All members that are there and fit. */
  public List<MemberView> snapshot(String namespace, String group, List<LabelFilter> filters) {
    Stream<MemberGroup> groups =
        group.isEmpty()
            ? table.find(namespace).stream().flatMap(space -> space.groups.values().stream())
            : table.group(namespace, group).stream();
    return groups
        .flatMap(found -> found.there.values().stream())
        .filter(member -> LabelFilter.all(filters, member.attributes.labels()))
        .map(Member::view)
        .toList();
  }

  /**
   * An operator says that the member of a name is not to be used, whether there is one or not.
   *
   * @return the member, if there is one or was lately
   */
  public Optional<MemberView> takeOutOfService(
      MemberName name, String actor, String reason, Tx tx) {
    RegistryNamespace namespace = table.namespace(name.namespace());
    namespace.admitOverride(name);
    MemberOverride override = new MemberOverride(actor, reason, table.time());
    namespace.override(name, Optional.of(override));
    tx.put(RegistryRows.overrideKey(name), RegistryRows.encode(override));
    return overridden(name, tx);
  }

  /** The member of a name is to be used again as its state says. */
  public Optional<MemberView> endOverride(MemberName name, Tx tx) {
    Optional<RegistryNamespace> namespace = table.find(name.namespace());
    if (namespace.flatMap(space -> space.override(name)).isEmpty()) {
      return view(name);
    }
    namespace.get().override(name, Optional.empty());
    tx.delete(RegistryRows.overrideKey(name));
    table.forgetIfUnused(namespace.get());
    return overridden(name, tx);
  }

  private Optional<MemberView> overridden(MemberName name, Tx tx) {
    table.there(name).ifPresent(member -> table.changed(member, tx));
    return view(name);
  }

  private Optional<MemberView> view(MemberName name) {
    return table.there(name).or(() -> table.ended(name)).map(Member::view);
  }

  /** Tells how many members expired by this when all have. */
  public void releaseHold(String namespace, String group, BiConsumer<Integer, Tx> done, Tx tx) {
    table
        .group(namespace, group)
        .ifPresentOrElse(found -> found.release(done, sessions::die, tx), () -> done.accept(0, tx));
  }

  void removeFromGauges() {
    table.partitions.removeFromGauges();
    for (RegistryNamespace namespace : table.namespaces()) {
      namespace
          .groups
          .values()
          .forEach(
              group -> {
                table.events.members(-group.there.size());
                table.events.held(-group.held());
              });
      table.events.sessions(-namespace.sessions.size());
    }
  }

  /** Namespaces that something is kept of. */
  int namespaces() {
    return table.size();
  }
}
