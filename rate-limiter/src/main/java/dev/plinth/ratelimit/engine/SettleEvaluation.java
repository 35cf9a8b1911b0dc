package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.store.Outcome;

/** Evaluates one settle: every budget of the ticket that is still there is written. */
final class SettleEvaluation {
  private final RowTable<BudgetState> states;
  private final RowTable<ResetRow> resets;
  private final TicketRow ticket;
  private final long now;

  SettleEvaluation(
      RowTable<BudgetState> states, RowTable<ResetRow> resets, TicketRow ticket, long now) {
    this.states = states;
    this.resets = resets;
    this.ticket = ticket;
    this.now = now;
  }

  Outcome settle(long actual) {
    long less = ticket.granted() - actual;
    for (TicketRow.Part part : ticket.parts()) {
      BudgetState kept = states.get(part.key());
      boolean isThere = kept != null && !kept.isExpired(now);
      if (!isThere && less >= 0) {
        continue; // all of it came back meanwhile
      }
      BudgetState state = isThere ? kept : fresh(part);
      OutstandingLeases leases = leases(part, state.leases());
      states.put(
          part.key(), new BudgetState(state.version(), now, leases, level(part, state, less)));
    }
    return new Outcome.Settled(true, less);
  }

  private BudgetState fresh(TicketRow.Part part) {
    return new BudgetState(
        part.version(), now, OutstandingLeases.NONE, LimitState.fresh(part.limit(), now));
  }

  /**
   * What is left goes back only to a budget that still counts as it did; what is missing is charged
   * to whatever the budget has become.
   */
  private LimitState level(TicketRow.Part part, BudgetState state, long less) {
    LimitState level = state.levelAt(now);
    if (less < 0) {
      return level.charge(-less, now);
    } else if (less > 0 && state.version() == part.version() && !isReset(part)) {
      return level.refund(Math.min(less, part.charged()), part.charged(), ticket.at(), now);
    }
    return level;
  }

  /** Then the reset has given all of it back before. */
  private boolean isReset(TicketRow.Part part) {
    ResetRow reset = resets.get(part.key());
    return reset != null && ticket.at() <= reset.at();
  }

  private OutstandingLeases leases(TicketRow.Part part, OutstandingLeases leases) {
    if (part.ttl() == 0) {
      return leases;
    }
    return leases
        .at(Math.floorDiv(now, part.ttl()))
        .minus(ticket.granted(), Math.floorDiv(ticket.at(), part.ttl()));
  }
}
