package dev.plinth.shards.request;

import dev.plinth.shards.RequestId;
import java.util.random.RandomGenerator;

/**
 * Finds the entry of a request id among the rows: open addressing, 16 bytes a place and no object
 * an entry. In many small tables, so that none takes long to grow; and places depend on a number
 * that callers do not know, so that they cannot choose ids that collide.
 */
final class RequestIndex {
  /** What an entry weighs here, at the usual load. */
  static final int BYTES_AN_ENTRY = 32;

  private static final int TABLE_BITS = 6;
  private static final int MIN_PLACES = 16;

  private final Table[] tables = new Table[1 << TABLE_BITS];
  private final long salt;
  private final long factor;

  RequestIndex(RandomGenerator random) {
    salt = random.nextLong();
    factor = random.nextLong() | 1;
    for (int i = 0; i < tables.length; i++) {
      tables[i] = new Table();
    }
  }

  /** Null if it is not there. */
  RememberedAnswer find(RequestId id) {
    Table table = table(id);
    int place = table.find(id);
    return table.rows[place] == null ? null : table.rows[place].answer(table.offsets[place]);
  }

  /** In place of an older entry of the same id. */
  void put(RequestId id, RequestRow row, int offset) {
    Table table = table(id);
    int place = table.find(id);
    if (table.rows[place] == null) {
      if ((table.size + 1) * 3L > table.rows.length * 2L) {
        table.grow();
        place = table.find(id);
      }
      table.size++;
    }
    table.set(place, id.low(), row, offset);
  }

  /** Unless a newer row has it. */
  void remove(RequestId id, RequestRow row) {
    Table table = table(id);
    int place = table.find(id);
    if (table.rows[place] == row) {
      table.clear(place);
    }
  }

  private Table table(RequestId id) {
    return tables[(int) (id.high() >>> Long.SIZE - TABLE_BITS)];
  }

  private final class Table {
    private long[] keys = new long[MIN_PLACES];
    private RequestRow[] rows = new RequestRow[MIN_PLACES];
    private int[] offsets = new int[MIN_PLACES];
    private int size;

    private int home(long key) {
      long mixed = (key ^ salt) * factor;
      return (int) (mixed >>> 32 ^ mixed >>> 48) & rows.length - 1;
    }

    /** Its place, or the free one where it belongs. */
    private int find(RequestId id) {
      int place = home(id.low());
      while (rows[place] != null
          && !(keys[place] == id.low() && rows[place].hasAt(offsets[place], id))) {
        place = place + 1 & rows.length - 1;
      }
      return place;
    }

    private void set(int place, long key, RequestRow row, int offset) {
      keys[place] = key;
      rows[place] = row;
      offsets[place] = offset;
    }

    /** Moves those behind it up, as far as they may go, so that no search ends too early. */
    private void clear(int freed) {
      int mask = rows.length - 1;
      int free = freed;
      for (int next = free + 1 & mask; rows[next] != null; next = next + 1 & mask) {
        if ((next - home(keys[next]) & mask) >= (next - free & mask)) {
          set(free, keys[next], rows[next], offsets[next]);
          free = next;
        }
      }
      rows[free] = null;
      size--;
    }

    private void grow() {
      final long[] oldKeys = keys;
      final RequestRow[] oldRows = rows;
      final int[] oldOffsets = offsets;
      keys = new long[oldKeys.length * 2];
      rows = new RequestRow[oldKeys.length * 2];
      offsets = new int[oldKeys.length * 2];
      for (int i = 0; i < oldRows.length; i++) {
        if (oldRows[i] != null) {
          int place = home(oldKeys[i]);
          while (rows[place] != null) {
            place = place + 1 & rows.length - 1;
          }
          set(place, oldKeys[i], oldRows[i], oldOffsets[i]);
        }
      }
    }
  }
}
