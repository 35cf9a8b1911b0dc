package dev.plinth.ratelimit.store;

import java.util.List;

/** What an operation came to. */
public sealed interface Outcome {
  /** Of a retry that never passes: the cost is more than the budget ever has. */
  long NEVER = -1;

  /** Of the budgets that it is about, where it has them. */
  default List<Standing> standings() {
    return List.of();
  }

  /**
   * @param admitted how many of the checks
   * @param granted to one check: its cost, or a part of it
   * @param leased taken in advance
   * @param delay microseconds until what was granted may be used
   * @param retry microseconds until a denied check would pass at once if nothing else came, or
   *     {@link #NEVER}; 0 if none was denied
   * @param standings after it, one for each charge in their order
   */
  record Taken(
      int admitted, long granted, long leased, long delay, long retry, List<Standing> standings)
      implements Outcome {}

  /**
   * A budget's state.
   *
   * @param available units that can be had now; negative in debt
   * @param reset microseconds until all of it is available
   * @param over it had no room for a check; a shadow, for one that the others admitted
   * @param version of the rule that wrote the state before this; 0 if there was none
   */
  record Standing(long available, long reset, boolean over, long version) {
    /** About what one takes in memory. */
    public static final int BYTES = 56;
  }

  /** A budget was written by a later version of its rule: nothing was done. */
  record Stale(long version) implements Outcome {}

  /**
   * @param refunded what was granted less what it cost; negative if more was charged
   */
  record Settled(boolean found, long refunded) implements Outcome {}

  record Done(List<Standing> standings) implements Outcome {}

  /**
   * @param token rises with each slot granted in the domain; 0 if none was
   * @param retry microseconds until enough slots have expired, if all are held
   * @param standings one for each budget
   */
  record SlotOutcome(boolean acquired, long token, long retry, List<Standing> standings)
      implements Outcome {}

  /** Of a renewal or release: whether the slot was there. */
  record Held(boolean held) implements Outcome {}

  /** The request id was used for another request: nothing was done. */
  record Reused() implements Outcome {}

  /**
   * The store is there, but could not decide this one request: its budget's state is damaged, say.
   * Other requests of the batch are not affected.
   */
  record Undecided(String why, boolean mayHaveApplied) implements Outcome {}
}
