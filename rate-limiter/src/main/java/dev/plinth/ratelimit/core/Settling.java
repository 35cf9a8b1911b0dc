package dev.plinth.ratelimit.core;

/** Says what a ticket really cost: every budget of it that is still there is written anew. */
final class Settling {
  private final Rows<State> states;
  private final Rows<ResetMark> resets;
  private final Noted noted;
  private final long now;

  Settling(Rows<State> states, Rows<ResetMark> resets, Noted noted, long now) {
    this.states = states;
    this.resets = resets;
    this.noted = noted;
    this.now = now;
  }

  Outcome settle(long actual) {
    long less = noted.granted() - actual;
    for (Noted.Part part : noted.parts()) {
      State kept = states.get(part.key());
      boolean isThere = kept != null && !kept.isOver(now);
      if (!isThere && less >= 0) {
        continue; // all of it came back meanwhile
      }
      State state = isThere ? kept : fresh(part);
      Lent lent = lent(part, state.lent());
      states.put(part.key(), new State(state.version(), now, lent, level(part, state, less)));
    }
    return new Outcome.Settled(true, less);
  }

  private State fresh(Noted.Part part) {
    return new State(part.version(), now, Lent.NONE, Level.fresh(part.limit(), now));
  }

  /**
   * What is left goes back only to a budget that still counts as it did; what is missing is charged
   * to whatever the budget has become.
   */
  private Level level(Noted.Part part, State state, long less) {
    Level level = state.levelAt(now);
    if (less < 0) {
      return level.charge(-less, now);
    } else if (less > 0 && state.version() == part.version() && !isReset(part)) {
      return level.refund(Math.min(less, part.charged()), part.charged(), noted.at(), now);
    }
    return level;
  }

  /** Then the reset has given all of it back before. */
  private boolean isReset(Noted.Part part) {
    ResetMark reset = resets.get(part.key());
    return reset != null && noted.at() <= reset.at();
  }

  private Lent lent(Noted.Part part, Lent lent) {
    if (part.ttl() == 0) {
      return lent;
    }
    return lent.at(Math.floorDiv(now, part.ttl()))
        .minus(noted.granted(), Math.floorDiv(noted.at(), part.ttl()));
  }
}
