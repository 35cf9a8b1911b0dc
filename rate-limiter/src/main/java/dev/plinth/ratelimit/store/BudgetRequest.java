package dev.plinth.ratelimit.store;

import java.util.Optional;

/** An operation, and whether it is to have its effect once however often it is sent. */
public record BudgetRequest(Operation operation, Optional<IdempotencyKey> idempotencyKey) {
  /**
   * The outcome is kept for {@link #RETENTION}: it is the answer to retries. A slot that was
   * acquired is renewed by a retry if it is still held, and else not acquired.
   *
   * @param fingerprint of the whole request; the same id with another one is {@link Outcome.Reused}
   */
  public record IdempotencyKey(String id, String fingerprint) {
    /** In microseconds. */
    public static final long RETENTION = 600_000_000L;
  }

  /** Whether it may leave rows in a domain that has none; the others find nothing there. */
  public boolean beginsRows() {
    return operation instanceof Operation.Take
        || operation instanceof Operation.AcquireSlot
        || operation instanceof Operation.Reset;
  }

  public static BudgetRequest of(Operation operation) {
    return new BudgetRequest(operation, Optional.empty());
  }
}
