package dev.plinth.lease.core;

import java.util.Optional;

/**
 * Something that happened to a hold, as watchers are told.
 *
 * @param ended how, if it ended
 */
public record LeaseChange(Type type, LeaseView lease, Optional<Ending> ended) {
  public enum Type {
    GRANTED,
    CHANGED,
    ENDED
  }
}
