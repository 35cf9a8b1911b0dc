package dev.plinth.lease.core;

/** Something that happened to a hold, as watchers are told. */
public record LeaseChange(Type type, LeaseView lease) {
  public enum Type {
    GRANTED,
    CHANGED,
    RELEASED,
    EXPIRED,
    CLOSED,
    FORCED;

    static Type of(Ending ending) {
      return switch (ending) {
        case RELEASED -> RELEASED;
        case EXPIRED -> EXPIRED;
        case CLOSED -> CLOSED;
        case FORCED -> FORCED;
      };
    }
  }
}
