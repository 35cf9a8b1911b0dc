package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.engine.RowTable.Row;
import dev.plinth.ratelimit.store.RowMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of one kind that changed before a moment, as they were then. It is read little by little
 * while the rows continue to change: a row that is overwritten before it was read leaves what it
 * was here. Values are immutable, so that is one reference.
 */
final class RowTableSnapshot<V extends BudgetRow> {
  private static final int OVERWRITTEN_BYTES = 160; // the change, and a value without lists

  private final Budgets.Kind kind;
  private List<String> removed;
  private List<Row<V>> rows;
  private List<Budgets.Change> overwritten = new ArrayList<>();
  private int next;
  private final RowMemory.DomainShare memory;
  private long bytes; // that are kept in use by this alone

  /**
   * @param removed keys; some may be there again
   * @param rows those that were removed since they changed have no value
   * @param bytes that those take which were removed, returned to the memory at the end
   */
  RowTableSnapshot(
      Budgets.Kind kind,
      List<String> removed,
      List<Row<V>> rows,
      RowMemory.DomainShare memory,
      long bytes) {
    this.kind = kind;
    this.removed = removed;
    this.rows = rows;
    this.memory = memory;
    this.bytes = bytes;
  }

  /** Of nothing, at its end. */
  static <V extends BudgetRow> RowTableSnapshot<V> none() {
    return new RowTableSnapshot<>(null, List.of(), List.of(), null, 0);
  }

  /** Of a row that is about to be overwritten. */
  void preserve(Row<V> row) {
    if (row.isIn(rows)) {
      overwritten.add(new Budgets.Change(kind, row.key, row.value()));
      long kept = OVERWRITTEN_BYTES + row.value().bytes();
      bytes += kept;
      memory.changed(kept);
    }
  }

  /**
   * Adds the next few keys that were removed.
   *
   * @return false at the end, after which {@link #readPresent} begins
   */
  boolean readRemoved(int few, List<Budgets.Change> to) {
    int end = Math.min(removed.size(), next + few);
    boolean any = next < end;
    for (; next < end; next++) {
      to.add(new Budgets.Change(kind, removed.get(next), null));
    }
    if (!any) {
      removed = List.of();
      next = 0;
    }
    return any;
  }

  /** The same of those that were there; at the end nothing is held here any longer. */
  boolean readPresent(int few, List<Budgets.Change> to) {
    int read = next - rows.size(); // of those that were overwritten, which are last
    if (read < 0) {
      for (int end = Math.min(rows.size(), next + few); next < end; next++) {
        read(rows.get(next), to);
      }
      return true;
    }
    int end = Math.min(overwritten.size(), read + few);
    to.addAll(overwritten.subList(read, end));
    next += end - read;
    if (read == end) {
      rows = List.of();
      overwritten = List.of();
      memory.changed(-bytes);
      bytes = 0;
      next = 0;
    }
    return read < end;
  }

  private void read(Row<V> row, List<Budgets.Change> to) {
    if (row.isIn(rows)) {
      if (row.value() != null) {
        to.add(new Budgets.Change(kind, row.key, row.value()));
      }
      row.leave(rows);
    }
  }
}
