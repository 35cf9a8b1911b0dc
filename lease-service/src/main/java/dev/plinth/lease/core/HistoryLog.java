package dev.plinth.lease.core;

import dev.plinth.shards.CommitLog;
import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.Write;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last events of a shard. Those of one commit share a row, and so do those of small commits, a
 * few to a row. A new row takes the place of the oldest, so nothing has to be deleted. Events are
 * kept as they are stored; who reads them pays for that.
 *
 * <p>The first line has the row's number and how many events the row before it has.
 *
 * <pre>
 * lease/h/00042:  v1 4138 16
 *                 1767225600000 GRANTED default printer ann - 67174400 EXCLUSIVE - ann - 0 0 0
 * </pre>
 */
final class HistoryLog implements CommitLog {
  static final String PREFIX = "lease/h/";

  /** As many at least are kept, and not many more, unless they take too many bytes. */
  static final int EVENTS = 65_536;

  /** A row that has so many takes no more commits: the next would have to write them again. */
  static final int EVENTS_A_ROW = 16;

  private record StoredRow(String key, int events) {}

  private final long maxBytes;
  private final TreeMap<Long, byte[]> rows = new TreeMap<>();
  private final TreeMap<Long, StoredRow> stored = new TreeMap<>();
  // The last freed is taken first, so that as few large rows as possible stay behind.
  private final ArrayDeque<String> freeKeys = new ArrayDeque<>();
  private final ByteArrayOutputStream open = new ByteArrayOutputStream();
  private long number = -1;
  private int events;
  private int total;
  private long bytes;
  private boolean full = true;
  private boolean sealed = true;
  private boolean loading;

  /**
   * @param maxBytes what the rows may take together; the newest one comes on top
   */
  HistoryLog(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void load(Row row) {
    long loaded = RowReader.row(row, PREFIX).number();
    rows.put(loaded, row.value());
    stored.put(loaded, new StoredRow(row.key(), lines(row.value()).size()));
    loading = true;
  }

  /** Of all rows that were loaded, the last are the log; others were to be overwritten. */
  private void endLoading() {
    if (!loading) {
      return;
    }
    loading = false;
    number = stored.lastKey();
    events = stored.get(number).events();
    long first = number + 1;
    while (total < EVENTS && bytes < maxBytes && stored.containsKey(first - 1)) {
      first--;
      total += stored.get(first).events();
      bytes += rows.get(first).length;
    }
    Map<Long, StoredRow> over = stored.headMap(first, false);
    over.values().forEach(row -> freeKeys.add(row.key()));
    over.clear();
    rows.headMap(first, false).clear();
  }

  void add(HistoryEvent entry, Tx tx) {
    tx.append(this, entry.line());
  }

  @Override
  public void add(byte[] line) {
    endLoading();
    if (full && sealed) {
      begin();
    }
    sealed = false;
    open.write('\n');
    open.writeBytes(line);
    events++;
    total++;
  }

  private void begin() {
    makeRoom();
    number++;
    open.reset();
    open.writeBytes(RowWriter.row().number(number).number(events).bytes());
    String key = freeKeys.isEmpty() ? PREFIX + slot(stored.size()) : freeKeys.removeLast();
    events = 0;
    stored.put(number, new StoredRow(key, 0));
    full = false;
  }

  private void makeRoom() {
    while (stored.size() > 1
        && (bytes > maxBytes
            || total - stored.firstEntry().getValue().events() >= EVENTS - EVENTS_A_ROW)) {
      StoredRow oldest = stored.pollFirstEntry().getValue();
      bytes -= rows.pollFirstEntry().getValue().length;
      total -= oldest.events();
      freeKeys.add(oldest.key());
    }
  }

  @Override
  public Write seal() {
    sealed = true;
    full = events >= EVENTS_A_ROW;
    String key = stored.get(number).key();
    stored.put(number, new StoredRow(key, events));
    byte[] row = open.toByteArray();
    byte[] before = rows.put(number, row);
    bytes += row.length - (before == null ? 0 : before.length);
    return Write.put(key, row);
  }

  @Override
  public int carriedBytes() {
    return full && sealed ? 0 : open.size();
  }

  /** Five digits at least, and not by a Formatter: this is on every grant's way. */
  private static String slot(long number) {
    String digits = Long.toString(number);
    return "00000".substring(Math.min(5, digits.length())) + digits;
  }

  /** As it is now, to be read on any thread. */
  HistorySnapshot snapshot() {
    endLoading();
    TreeMap<Long, byte[]> now = new TreeMap<>(rows);
    if (!sealed) {
      now.put(number, open.toByteArray());
    }
    return new HistorySnapshot(now);
  }

  static List<String> lines(byte[] row) {
    List<String> lines = new String(row, StandardCharsets.UTF_8).lines().toList();
    return lines.subList(1, lines.size());
  }

  /** How many events the row before this one has; those of former versions are full. */
  static int eventsBefore(byte[] row) {
    String[] words =
        new String(row, StandardCharsets.UTF_8).lines().findFirst().orElseThrow().split(" ");
    return words.length > 2 ? Integer.parseInt(words[2]) : EVENTS_A_ROW;
  }
}
