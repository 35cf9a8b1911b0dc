package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.Outcome;

/**
 * A budget while an operation is decided: as it stands, moved to the present and to the version of
 * the request, and what the operation does to it. Nothing is stored before {@link #write}.
 */
final class BudgetDraft {
  final Budget budget;
  private final RowTable<BudgetState> states;
  private final RowTable.Row<BudgetState> row;
  private final BudgetState before;
  private final LimitState shifted;
  private final long now;
  LimitState level;
  OutstandingLeases leases;
  long charged;
  long leased;
  boolean over;

  BudgetDraft(RowTable<BudgetState> states, Budget budget, long now) {
    this.states = states;
    this.budget = budget;
    this.now = now;
    this.row = states.row(budget.key());
    this.before = row == null || row.value().isExpired(now) ? null : row.value();
    if (before == null) {
      shifted = null;
      level = LimitState.fresh(budget.limit(), now);
      leases = OutstandingLeases.NONE;
    } else {
      shifted = before.levelAt(now);
      level =
          before.version() < budget.version()
              ? BudgetState.converted(shifted, budget, now)
              : shifted;
      leases = before.leases();
    }
    if (budget.lending().isPresent()) {
      leases = leases.at(Math.floorDiv(now, budget.lending().get().ttl()));
    }
  }

  /** Of what was stored before; 0 if nothing was. */
  long version() {
    return before == null ? 0 : before.version();
  }

  boolean isStale() {
    return version() > budget.version();
  }

  boolean isEnforced() {
    return !budget.shadow();
  }

  /** Whether a check of a cost passes, taking no more than so much of the future. */
  boolean admits(long cost, long maxWait) {
    long retry = level.retry(cost, now);
    return retry == 0 || (retry > 0 && retry <= maxWait && level.canReserve());
  }

  /** How much can be charged until as much is owed as the budget has. */
  long debtRoom(long amount) {
    return level.debtRoom(amount, now);
  }

  void charge(long amount) {
    level = level.charge(amount, now);
    charged += amount;
  }

  /** Takes a lease; of a shadow, as much of it as it has. */
  void lend(long amount) {
    if (isEnforced()) {
      leased = amount;
      leases = leases.plus(amount);
    } else {
      leased = Math.max(0, Math.min(amount, level.available(now)));
    }
    charge(leased);
  }

  TicketRow.Part part(long amount, boolean isLease) {
    long ttl = isLease && isEnforced() ? budget.lending().orElseThrow().ttl() : 0;
    return new TicketRow.Part(budget.key(), budget.limit(), budget.version(), amount, ttl);
  }

  Outcome.Standing standing() {
    return new Outcome.Standing(level.available(now), level.reset(now), over, version());
  }

  /**
   * Keeps what was charged. If nothing was, and the clock was stepped back, keeps that: or else the
   * times of the budget would continue to move along with the clock, and it would stand still until
   * the clock is where it was.
   */
  void write() {
    if (charged > 0) {
      keep(new BudgetState(budget.version(), now, leases, level));
    } else if (before != null && now < before.last()) {
      keep(new BudgetState(before.version(), now, leases, shifted));
    }
  }

  /** Resets it; outstanding leases stay. */
  void reset() {
    level = LimitState.fresh(budget.limit(), now);
    keep(new BudgetState(budget.version(), now, leases, level));
  }

  private void keep(BudgetState next) {
    if (row == null) {
      states.put(budget.key(), next);
    } else {
      states.set(row, next);
    }
  }
}
