package dev.plinth.id.core;

/** What happens to ids, for metrics. Called on the deciding thread: it only counts. */
public interface IdEvents {
  /** Handed out one by one. */
  void allocated(long ids);

  void rangeLeased(long ids);

  /** RECLAIMED, WASTED, NOT_OUT or EXPIRED. */
  void rangeEnded(String how);

  /** The ledgers of counters changed by so much, and the ids below their ends by so many. */
  void ledger(SequenceLedger change, long ids);

  /** More ids were set aside for later. */
  void refilled();

  /** An answer had to wait for a commit. */
  void waited();

  void workers(int change);

  /** The wall clock is behind times that ids may carry already. */
  void clockBehind();
}
