package dev.plinth.ratelimit.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * What changed in the budgets of a domain before a moment, as it was then; read under the domain's
 * lock, a few rows at a time, so that nobody waits for all of it.
 *
 * <p>Rows come in an order in which a crash may cut them off anywhere. What was removed is first,
 * so that no ticket outlives its settling. Resets are before states, and states before the tickets
 * that were charged to them. So a part of it has charged as much as it can refund, or more.
 */
public final class BudgetsSnapshot {
  private final List<RowTableSnapshot<?>> parts = new ArrayList<>();
  private int next;

  <V extends BudgetRow> BudgetsSnapshot and(Budgets.Kind kind, RowTable<V> rows) {
    parts.add(rows.snapshot(kind));
    return this;
  }

  /**
   * Reads the next few rows. A row may come twice, removed and there again; the last counts.
   *
   * @return false at the end
   */
  public boolean read(int few, List<Budgets.Change> to) {
    while (next < 2 * parts.size()) {
      RowTableSnapshot<?> part = parts.get(next % parts.size());
      if (next < parts.size() ? part.readRemoved(few, to) : part.readPresent(few, to)) {
        return true;
      }
      next++;
    }
    return false;
  }
}
