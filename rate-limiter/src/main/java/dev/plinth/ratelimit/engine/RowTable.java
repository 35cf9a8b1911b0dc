package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.store.RowMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Rows of one kind by key. Expired rows are dropped by a sweep that checks a few rows with each
 * step, so that memory follows what is in use, without a timer for each row.
 */
final class RowTable<V extends BudgetRow> {
  /** A key and what it holds now: null once it was removed, and then for good. */
  static final class Row<V> {
    final String key;
    private V value;
    private List<Row<V>> changeList; // the list of changes that it is in, if any

    private Row(String key) {
      this.key = key;
    }

    V value() {
      return value;
    }

    boolean isIn(List<Row<V>> changes) {
      return changeList == changes;
    }

    void leave(List<Row<V>> changes) {
      if (changeList == changes) {
        changeList = null;
      }
    }
  }

  private final Map<String, Row<V>> rows = new HashMap<>();
  private final ArrayDeque<Row<V>> sweepOrder = new ArrayDeque<>();
  private List<Row<V>> changed; // null if changes are not tracked
  private List<String> removed = new ArrayList<>();
  private long removedBytes; // of their rows, which are in the list of changes
  private RowTableSnapshot<V> snapshot = RowTableSnapshot.none();

  private final RowMemory.DomainShare memory;

  private RowTable(List<Row<V>> changed, RowMemory.DomainShare memory) {
    this.changed = changed;
    this.memory = memory;
  }

  /**
   * @param isTracked notes what changes, for {@link #snapshot}
   */
  static <V extends BudgetRow> RowTable<V> of(boolean isTracked, RowMemory.DomainShare memory) {
    return new RowTable<>(isTracked ? new ArrayList<>() : null, memory);
  }

  int size() {
    return rows.size();
  }

  /** The row, or null. */
  Row<V> row(String key) {
    return rows.get(key);
  }

  /** The value, or null. */
  V get(String key) {
    Row<V> row = rows.get(key);
    return row == null ? null : row.value;
  }

  void put(String key, V value) {
    Row<V> row = rows.get(key);
    if (row == null) {
      row = added(key);
    }
    set(row, value);
  }

  /** For a row that was just looked up. */
  void set(Row<V> row, V value) {
    track(row);
    setValue(row, value);
  }

  /** As it was read from where changes are written to. */
  void restore(String key, V value) {
    setValue(added(key), value);
  }

  private void setValue(Row<V> row, V value) {
    int change = value.bytes() - (row.value == null ? 0 : row.value.bytes());
    if (change != 0) {
      memory.changed(change);
    }
    row.value = value;
  }

  private Row<V> added(String key) {
    Row<V> row = new Row<>(key);
    rows.put(key, row);
    memory.added(key);
    sweepOrder.add(row);
    return row;
  }

  void remove(String key) {
    Row<V> row = rows.remove(key);
    if (row != null) {
      track(row);
      memory.changed(-row.value.bytes());
      row.value = null;
      if (changed == null) {
        memory.removed(key);
      } else { // it takes memory until it is written
        removed.add(key);
        removedBytes += RowMemory.DomainShare.bytesOf(key);
      }
    }
  }

  /** Before the row is changed. */
  private void track(Row<V> row) {
    if (changed != null && row.changeList != changed) {
      snapshot.preserve(row);
      row.changeList = changed;
      changed.add(row);
    }
  }

  /** Checks the next few rows and removes those that are expired. */
  void sweep(int few, long now, BiConsumer<String, V> removed) {
    for (int i = Math.min(few, sweepOrder.size()); i > 0; i--) {
      Row<V> row = sweepOrder.poll();
      if (row.value == null) {
        continue;
      }
      if (row.value.isExpired(now)) {
        V last = row.value;
        remove(row.key);
        removed.accept(row.key, last);
      } else {
        sweepOrder.add(row);
      }
    }
  }

  /**
   * What changed since the last call, as it is now, whatever changes while it is read. One that was
   * begun before must have been read to its end.
   */
  RowTableSnapshot<V> snapshot(Budgets.Kind kind) {
    if (changed == null) {
      throw new IllegalStateException("changes are not tracked");
    }
    snapshot = new RowTableSnapshot<>(kind, removed, changed, memory, removedBytes);
    removed = new ArrayList<>();
    removedBytes = 0;
    changed = new ArrayList<>();
    return snapshot;
  }
}
