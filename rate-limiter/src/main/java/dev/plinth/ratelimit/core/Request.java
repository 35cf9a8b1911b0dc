package dev.plinth.ratelimit.core;

import java.util.Optional;

/** An operation, and whether it is to have its effect once however often it is sent. */
public record Request(Operation operation, Optional<Once> once) {
  /**
   * The outcome is kept for {@link #REMEMBERED}: sent again, it is the answer.
   *
   * @param fingerprint of the whole request; the same id with another one is {@link Outcome.Reused}
   */
  public record Once(String id, String fingerprint) {
    /** In microseconds. */
    public static final long REMEMBERED = 600_000_000L;
  }

  /** Whether it may leave rows in a domain that has none; the others find nothing there. */
  public boolean beginsRows() {
    return operation instanceof Operation.Take
        || operation instanceof Operation.AcquireSlot
        || operation instanceof Operation.Reset;
  }

  public static Request of(Operation operation) {
    return new Request(operation, Optional.empty());
  }
}
