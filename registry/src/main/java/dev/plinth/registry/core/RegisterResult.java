package dev.plinth.registry.core;

/** What came of a registration: the new member, or the one that has the name. */
public sealed interface RegisterResult {
  MemberView member();

  /** A new incarnation. */
  record Registered(MemberView member) implements RegisterResult {}

  /** A member of another session has the name. */
  record Taken(MemberView member) implements RegisterResult {}
}
