package dev.plinth.ratelimit.engine;

/** A row of a domain: immutable, so that it can be written down while the next one is made. */
sealed interface BudgetRow permits BudgetState, TicketRow, RequestOutcomeRow, SlotRow, ResetRow {
  /** Whether the row has no meaning any more and can be dropped. */
  boolean isExpired(long now);

  String text();

  /** About what its lists and texts take in memory, beyond a row without any. */
  default int bytes() {
    return 0;
  }
}
