package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last events of a shard, kept in a ring of rows of a few events each: the newest row takes the
 * place of the oldest, so nothing has to be deleted, and the many events of one commit cost few
 * rows. Events are kept as they are stored; who reads them pays for that.
 *
 * <pre>
 * lease/h/00042:  v1 4138
 *                 1767225600000 GRANTED default printer ann - 67174400 EXCLUSIVE - ann - 0 0 0
 * </pre>
 */
final class HistoryLog {
  static final String PREFIX = "lease/h/";
  static final int ROWS = 4096;
  static final int EVENTS_A_ROW = 16;

  private final TreeMap<Long, byte[]> rows = new TreeMap<>();
  private final StringBuilder open = new StringBuilder();
  private long number = -1;
  private int events = EVENTS_A_ROW;

  void load(String rowKey, byte[] value) {
    long loaded = Long.parseLong(Words.lines(rowKey, value)[0].split(" ")[1]);
    rows.put(loaded, value);
    number = Math.max(number, loaded);
  }

  void add(HistoryEntry entry, Tx tx) {
    if (events == EVENTS_A_ROW) {
      events = 0;
      number++;
      rows.remove(number - ROWS);
      open.setLength(0);
      open.append(Words.VERSION).append(' ').append(number);
    }
    events++;
    open.append('\n').append(entry.line());
    byte[] row = Words.bytes(open.toString());
    rows.put(number, row);
    tx.put(PREFIX + slot(number % ROWS), row);
  }

  /** Five digits, and not by a Formatter: this is on every grant's way. */
  private static String slot(long number) {
    String digits = Long.toString(number);
    return "00000".substring(digits.length()) + digits;
  }

  /** As it is now, to be read on any thread. */
  History snapshot() {
    return new History(new TreeMap<>(rows));
  }

  static List<String> lines(Map.Entry<Long, byte[]> row) {
    List<String> lines = new String(row.getValue(), StandardCharsets.UTF_8).lines().toList();
    return lines.subList(1, lines.size());
  }
}
