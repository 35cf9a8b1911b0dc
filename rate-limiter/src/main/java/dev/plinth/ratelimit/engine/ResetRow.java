package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Operation.Ticket;

/**
 * When a budget was last reset. Tickets up to then have nothing to refund to it. It outlives the
 * budget's own state, which is forgotten when nothing of it is used.
 */
record ResetRow(long at) implements BudgetRow {
  /** No ticket from before the reset can be settled any more. */
  @Override
  public boolean isExpired(long now) {
    return now - at >= Ticket.MAX_AGE;
  }

  @Override
  public String text() {
    return "v1 " + at;
  }

  static ResetRow parse(String text) {
    RowTextReader words = RowTextReader.versioned(text);
    ResetRow mark = new ResetRow(words.number());
    words.end();
    return mark;
  }
}
