package dev.plinth.ratelimit.core;

/**
 * A budget while an operation is decided: as it stands, moved to the present and to the version
 * asked with, and what the operation does to it. Nothing is kept before {@link #write}.
 */
final class Draft {
  final Budget budget;
  private final Rows<State> states;
  private final Rows.Row<State> row;
  private final State before;
  private final Level shifted;
  private final long now;
  Level level;
  Lent lent;
  long charged;
  long leased;
  boolean over;

  Draft(Rows<State> states, Budget budget, long now) {
    this.states = states;
    this.budget = budget;
    this.now = now;
    this.row = states.row(budget.key());
    this.before = row == null || row.value().isOver(now) ? null : row.value();
    if (before == null) {
      shifted = null;
      level = Level.fresh(budget.limit(), now);
      lent = Lent.NONE;
    } else {
      shifted = before.levelAt(now);
      level = before.version() < budget.version() ? State.converted(shifted, budget, now) : shifted;
      lent = before.lent();
    }
    if (budget.lending().isPresent()) {
      lent = lent.at(Math.floorDiv(now, budget.lending().get().ttl()));
    }
  }

  /** Of what was kept before; 0 if nothing was. */
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
    return retry == 0 || (retry > 0 && retry <= maxWait && level.hasFuture());
  }

  /**
   * How much can be charged until as much is owed as the budget has. A paced budget has no size: it
   * owes one check at the most.
   */
  long debtRoom(long amount) {
    if (level instanceof PacedLevel paced) {
      return paced.reset(now) <= paced.charged(amount) ? amount : 0;
    }
    return level.available(now) + budget.limit().size();
  }

  void charge(long amount) {
    level = level.charge(amount, now);
    charged += amount;
  }

  /** Takes a lease; of a shadow, as much of it as it has. */
  void lend(long amount) {
    if (isEnforced()) {
      leased = amount;
      lent = lent.plus(amount);
    } else {
      leased = Math.max(0, Math.min(amount, level.available(now)));
    }
    charge(leased);
  }

  Noted.Part part(long amount, boolean isLease) {
    long ttl = isLease && isEnforced() ? budget.lending().orElseThrow().ttl() : 0;
    return new Noted.Part(budget.key(), budget.limit(), budget.version(), amount, ttl);
  }

  Outcome.Standing standing() {
    return new Outcome.Standing(level.available(now), level.reset(now), over, version());
  }

  /**
   * Keeps what was charged. If nothing was, and the clock was stepped back, keeps that: or else the
   * times of the budget would go on being moved along with the clock, and it would stand still
   * until the clock is where it was.
   */
  void write() {
    if (charged > 0) {
      keep(new State(budget.version(), now, lent, level));
    } else if (before != null && now < before.last()) {
      keep(new State(before.version(), now, lent, shifted));
    }
  }

  /** Begins anew; what is lent stays so. */
  void reset() {
    level = Level.fresh(budget.limit(), now);
    keep(new State(budget.version(), now, lent, level));
  }

  private void keep(State next) {
    if (row == null) {
      states.put(budget.key(), next);
    } else {
      states.set(row, next);
    }
  }
}
