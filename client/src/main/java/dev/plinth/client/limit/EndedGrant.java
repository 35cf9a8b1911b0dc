package dev.plinth.client.limit;

/**
 * A lease that is no longer paid from. With nothing left in it, it is worth giving back all the
 * same: while it is out, the service lends others less.
 */
record EndedGrant(BudgetGrant grant, long unused) {
  /** Nothing comes of giving it back. */
  boolean isIdle(long now) {
    return unused == 0 && grant.isEnded(now);
  }
}
