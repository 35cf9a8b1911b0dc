package dev.plinth.registry.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A namespace: its groups, sessions and overrides, and how much there is of what is bounded. */
final class RegistryNamespace {
  static final int MAX_SESSIONS = 100_000;
  static final int MAX_OVERRIDES = 10_000;
  static final long MAX_BYTES = 128L << 20;
  private static final Duration LATER = Duration.ofSeconds(1);

  final String name;
  final TreeMap<String, MemberGroup> groups = new TreeMap<>();
  final Map<String, MemberSession> sessions = new HashMap<>();

  /** By path. */
  private final Map<String, MemberOverride> overrides = new HashMap<>();

  /** What members take in memory, ended ones too. */
  long memberBytes;

  /** Members of all groups that a mass expiry holds back. */
  int held;

  /** Of the members that are there, as watchers were told. */
  long checksum;

  RegistryNamespace(String name) {
    this.name = name;
  }

  MemberGroup group(String group) {
    return groups.computeIfAbsent(group, made -> new MemberGroup(this, made));
  }

  Optional<MemberOverride> override(MemberName member) {
    return Optional.ofNullable(overrides.get(member.path()));
  }

  void override(MemberName member, Optional<MemberOverride> next) {
    next.ifPresentOrElse(
        set -> overrides.put(member.path(), set), () -> overrides.remove(member.path()));
  }

  void admitSession() {
    admit("sessions", sessions.size() + 1, MAX_SESSIONS);
  }

  void admitOverride(MemberName member) {
    if (override(member).isEmpty()) {
      admit("overrides", overrides.size() + 1, MAX_OVERRIDES);
    }
  }

  void admitBytes(long more) {
    if (more > 0) {
      admit("bytes of members", memberBytes + more, MAX_BYTES);
    }
  }

  private void admit(String what, long wouldBe, long most) {
    if (wouldBe > most) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          what + " of namespace " + name,
          "namespace " + name + " may have no more than " + most + " " + what,
          LATER);
    }
  }

  /** Nothing is left that it would be missed for. */
  boolean isUnused() {
    return groups.isEmpty() && sessions.isEmpty() && overrides.isEmpty();
  }
}
