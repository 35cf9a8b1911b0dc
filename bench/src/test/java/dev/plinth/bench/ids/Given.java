package dev.plinth.bench.ids;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * What one caller was given in a round, all of it, at the cost of about one store an id: narrow ids
 * as runs without a gap, wide ones as they are.
 */
final class Given {
  /** What the ids of all callers of a round come to. */
  record Verdict(long ids, long duplicates, long unordered) {}

  private final boolean wide;
  private final long[] pairs; // first and end of a run, or the two halves of a wide id
  private int size;
  private long first;
  private long end;
  private long unordered;

  private Given(boolean wide, int longs) {
    this.wide = wide;
    pairs = new long[longs / 2 * 2];
  }

  /** Ids that fit a long and are not negative. */
  static Given narrow(int longs) {
    return new Given(false, longs);
  }

  /** Ids of 128 bits. */
  static Given wide(int longs) {
    return new Given(true, longs);
  }

  /** Whether so many more ids fit for certain. */
  boolean hasRoomFor(int ids) {
    return size + 2 * ids + 2 <= pairs.length;
  }

  void add(long id) {
    if (id == end && id != 0) {
      end++;
    } else {
      begin(id);
    }
  }

  private void begin(long id) {
    if (id < end) {
      unordered++;
    }
    keepRun();
    first = id;
    end = id + 1;
  }

  private void keepRun() {
    if (end > first) {
      push(first, end);
    }
  }

  void add(long high, long low) {
    if (size > 0 && compare(pairs[size - 2], pairs[size - 1], high, low) >= 0) {
      unordered++;
    }
    push(high, low);
  }

  private void push(long one, long other) {
    pairs[size] = one;
    pairs[size + 1] = other;
    size += 2;
  }

  private static int compare(long high, long low, long otherHigh, long otherLow) {
    int highs = Long.compareUnsigned(high, otherHigh);
    return highs != 0 ? highs : Long.compareUnsigned(low, otherLow);
  }

  /** After the round. */
  static Verdict check(List<Given> callers) {
    PriorityQueue<Cursor> cursors = new PriorityQueue<>();
    long unordered = 0;
    for (Given given : callers) {
      given.keepRun();
      given.end = given.first;
      unordered += given.unordered;
      if (given.unordered > 0) {
        given.sort();
      }
      if (given.size > 0) {
        cursors.add(new Cursor(given));
      }
    }
    return callers.get(0).wide ? wide(cursors, unordered) : narrow(cursors, unordered);
  }

  private static Verdict narrow(PriorityQueue<Cursor> cursors, long unordered) {
    long ids = 0;
    long twice = 0;
    long reach = 0;
    for (Cursor least; (least = cursors.poll()) != null; least.moveOn(cursors)) {
      ids += least.low() - least.high();
      twice += Math.max(0, Math.min(reach, least.low()) - least.high());
      reach = Math.max(reach, least.low());
    }
    return new Verdict(ids, twice, unordered);
  }

  private static Verdict wide(PriorityQueue<Cursor> cursors, long unordered) {
    long ids = 0;
    long twice = 0;
    long high = 0;
    long low = 0;
    for (Cursor least; (least = cursors.poll()) != null; least.moveOn(cursors)) {
      if (ids++ > 0 && least.high() == high && least.low() == low) {
        twice++;
      }
      high = least.high();
      low = least.low();
    }
    return new Verdict(ids, twice, unordered);
  }

  private void sort() {
    long[][] rows = new long[size / 2][];
    Arrays.setAll(rows, i -> new long[] {pairs[2 * i], pairs[2 * i + 1]});
    Comparator<long[]> order = (a, b) -> compare(a[0], a[1], b[0], b[1]);
    Arrays.sort(rows, order);
    for (int i = 0; i < rows.length; i++) {
      pairs[2 * i] = rows[i][0];
      pairs[2 * i + 1] = rows[i][1];
    }
  }

  /** A place in one caller's sorted pairs. */
  private static final class Cursor implements Comparable<Cursor> {
    private final Given given;
    private int at;

    Cursor(Given given) {
      this.given = given;
    }

    long high() {
      return given.pairs[at];
    }

    long low() {
      return given.pairs[at + 1];
    }

    void moveOn(PriorityQueue<Cursor> cursors) {
      at += 2;
      if (at < given.size) {
        cursors.add(this);
      }
    }

    @Override
    public int compareTo(Cursor other) {
      return compare(high(), low(), other.high(), other.low());
    }
  }
}
