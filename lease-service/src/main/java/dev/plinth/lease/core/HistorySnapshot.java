package dev.plinth.lease.core;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.function.Predicate;

/** The log as it was at one moment. */
public final class HistorySnapshot {
  // Events looked at for each one that a page has room for, and at least, where most are not
  // wanted.
  private static final int MAX_VISITS_EACH = 10;
  private static final int MIN_VISITS = 1000;

  private final NavigableMap<Long, byte[]> rows;

  HistorySnapshot(NavigableMap<Long, byte[]> rows) {
    this.rows = rows;
  }

  /** Where an event stands in the log; the next one stands behind it. */
  public record Position(long row, int line) {
    public static final Position START = new Position(-1, 0);

    private boolean isBefore(long otherRow, int otherLine) {
      return row < otherRow || row == otherRow && line < otherLine;
    }
  }

  /** Some events, and where to go on if there may be more. */
  public record Page(List<HistoryEvent> entries, Optional<Position> next) {}

  /** Events before this have left the log; empty if none has. */
  public Optional<Instant> completeFrom() {
    return rows.isEmpty() || rows.firstKey() == 0
        ? Optional.empty()
        : Optional.of(
            HistoryEvent.parse(HistoryLog.lines(rows.firstEntry().getValue()).get(0)).at());
  }

  /** Number of the oldest row. */
  long firstRow() {
    return rows.firstKey();
  }

  /** That of the newest event. */
  Position last() {
    return rows.isEmpty()
        ? Position.START
        : new Position(rows.lastKey(), HistoryLog.lines(rows.lastEntry().getValue()).size() - 1);
  }

  /** Whether no event between a position and the oldest here has left the log. */
  public boolean reaches(Position last) {
    if (last.equals(Position.START) || rows.isEmpty() || last.row() >= rows.firstKey()) {
      return true;
    }
    return last.row() == rows.firstKey() - 1
        && last.line() == HistoryLog.eventsBefore(rows.firstEntry().getValue()) - 1;
  }

  /**
   * Up to so many events that are wanted, after a position, oldest first. It looks at no more than
   * ten times as many, or a thousand, so that a page may have fewer, or none, although more follow.
   */
  public Page after(Position last, int most, Predicate<HistoryEvent> wanted) {
    List<HistoryEvent> page = new ArrayList<>();
    long visits = Math.max(MIN_VISITS, (long) most * MAX_VISITS_EACH);
    for (Map.Entry<Long, byte[]> row : rows.tailMap(last.row(), true).entrySet()) {
      List<String> lines = HistoryLog.lines(row.getValue());
      for (int i = 0; i < lines.size(); i++) {
        if (!last.isBefore(row.getKey(), i)) {
          continue;
        }
        HistoryEvent entry = HistoryEvent.parse(lines.get(i));
        if (wanted.test(entry)) {
          page.add(entry);
        }
        if (--visits == 0 || page.size() == most) {
          return new Page(page, Optional.of(new Position(row.getKey(), i)));
        }
      }
    }
    return new Page(page, Optional.empty());
  }
}
