package dev.plinth.registry.core;

import java.util.Map;

/**
 * Something that happened to a member, as watchers are told.
 *
 * @param labelsBefore what it had until then, for watchers that it no longer concerns
 * @param checksums of all members that are there since
 */
public record MemberChange(
    Type type, MemberView member, Map<String, String> labelsBefore, Checksums checksums) {
  /** What who has missed nothing has: of the member's group, and of all groups. */
  public record Checksums(long group, long namespace) {}

  /** What happened. */
  public enum Type {
    REGISTERED,
    CHANGED,
    DEAD,
    LEFT
  }
}
