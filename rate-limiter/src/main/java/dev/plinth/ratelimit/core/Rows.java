package dev.plinth.ratelimit.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Rows of one kind by key. What is over is dropped by a hand that goes round and looks at a few
 * rows with each step, so that memory follows what is in use, without a timer for each row.
 */
final class Rows<V extends Kept> {
  /** A key and what it holds now: null once it was removed, and then for good. */
  static final class Row<V> {
    final String key;
    private V value;
    private boolean changed;

    private Row(String key) {
      this.key = key;
    }

    V value() {
      return value;
    }
  }

  private final Map<String, Row<V>> rows = new HashMap<>();
  private final ArrayDeque<Row<V>> round = new ArrayDeque<>();
  private final List<Row<V>> changed;

  private Rows(List<Row<V>> changed) {
    this.changed = changed;
  }

  /**
   * @param isTracked notes what changes, until {@link #drain}
   */
  static <V extends Kept> Rows<V> of(boolean isTracked) {
    return new Rows<>(isTracked ? new ArrayList<>() : null);
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
    row.value = value;
    note(row);
  }

  /** As it was read from where changes are written to. */
  void restore(String key, V value) {
    added(key).value = value;
  }

  private Row<V> added(String key) {
    Row<V> row = new Row<>(key);
    rows.put(key, row);
    round.add(row);
    return row;
  }

  void remove(String key) {
    Row<V> row = rows.remove(key);
    if (row != null) {
      row.value = null;
      note(row);
    }
  }

  private void note(Row<V> row) {
    if (changed != null && !row.changed) {
      row.changed = true;
      changed.add(row);
    }
  }

  /** Looks at the next few rows of the round and removes those that are over. */
  void sweep(int few, long now, BiConsumer<String, V> removed) {
    for (int i = Math.min(few, round.size()); i > 0; i--) {
      Row<V> row = round.poll();
      if (row.value == null) {
        continue;
      }
      if (row.value.isOver(now)) {
        V last = row.value;
        remove(row.key);
        removed.accept(row.key, last);
      } else {
        round.add(row);
      }
    }
  }

  /**
   * What changed since the last call. A key that was removed and added again comes twice, in that
   * order.
   */
  void drain(Budgets.Kind kind, List<Budgets.Change> to) {
    if (changed == null) {
      throw new IllegalStateException("changes are not tracked");
    }
    for (Row<V> row : changed) {
      row.changed = false;
      to.add(new Budgets.Change(kind, row.key, row.value));
    }
    changed.clear();
  }
}
