package dev.plinth.registry.core;

import dev.plinth.registry.partition.PartitionMemberKey;
import java.time.Instant;
import java.util.Optional;

/** One incarnation of a member. */
final class Member {
  final MemberName name;
  final long incarnation;
  final String sessionId;
  final MemberGroup group;
  MemberAttributes attributes;
  long version;
  boolean draining;

  /** When it registered, began or stopped to drain, or ended. */
  Instant since;

  /** Null while it is there. */
  MemberEnd end;

  /** Of an ended one: when its name is forgotten. */
  long forgetAt;

  /** While it is there, its session. */
  MemberSession session;

  /** While a mass expiry holds it back, until when that may last. */
  Long heldUntil;

  /** What its row weighs. */
  int rowBytes;

  Member(MemberName name, long incarnation, String sessionId, MemberGroup group) {
    this.name = name;
    this.incarnation = incarnation;
    this.sessionId = sessionId;
    this.group = group;
  }

  /** As which it may have joined a partition group. */
  PartitionMemberKey partitionKey() {
    return name.partitionKey(sessionId);
  }

  MemberState state() {
    if (end != null) {
      return end.state();
    }
    if (session.isSuspect()) {
      return MemberState.SUSPECT;
    }
    return draining ? MemberState.DRAINING : MemberState.ALIVE;
  }

  MemberView view() {
    boolean bySession = end == null && session.since.isAfter(since);
    Optional<MemberOverride> override = group.namespace.override(name);
    return new MemberView(
        name,
        incarnation,
        sessionId,
        attributes,
        new MemberView.Status(state(), bySession ? session.since : since, heldUntil != null),
        version,
        override);
  }
}
