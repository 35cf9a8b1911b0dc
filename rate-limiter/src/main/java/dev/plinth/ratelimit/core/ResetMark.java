package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.Ticket;

/**
 * When a budget was last reset. Tickets up to then have nothing to give back to it. It outlives the
 * budget's own state, which is forgotten when nothing of it is used.
 */
record ResetMark(long at) implements Kept {
  /** No ticket from before the reset can be settled any more. */
  @Override
  public boolean isOver(long now) {
    return now - at >= Ticket.LONGEST;
  }

  @Override
  public String text() {
    return "v1 " + at;
  }

  static ResetMark parse(String text) {
    Lines words = Lines.versioned(text);
    ResetMark mark = new ResetMark(words.number());
    words.end();
    return mark;
  }
}
