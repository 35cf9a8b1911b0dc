package dev.plinth.registry.core;

import java.util.Map;

/**
 * Something that happened to a member, as watchers are told.
 *
 * @param labelsBefore what it had until then, for watchers that it no longer concerns
 */
public record MemberChange(Type type, MemberView member, Map<String, String> labelsBefore) {
  /** What happened. */
  public enum Type {
    REGISTERED,
    CHANGED,
    DEAD,
    LEFT
  }
}
