package dev.plinth.shards.request;

import dev.plinth.machine.Machine;
import dev.plinth.shards.CommitLog;
import dev.plinth.shards.RequestId;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.Write;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The answers with an effect of one shard, one row a commit; small commits share a row. A row keeps
 * its place in the store when its time is over, and the next takes it, so that nothing is deleted
 * while requests come in.
 *
 * <p>Times in rows are on a clock of the shard's own: it stands while nobody owns the shard, and
 * the next owner goes on from the last time stored. So it is never ahead of true time, whatever
 * wall clocks do, and no answer is forgotten early.
 */
final class RequestLog implements CommitLog {
  static final String PREFIX = "requests/";
  private static final String SLOT_PREFIX = PREFIX + "s";
  // A row that has so many bytes takes no more commits: the next would have to write them again.
  private static final int FULL_BYTES = 2048;
  private static final int ROW_OVERHEAD = 160;
  // Free slots kept for the next rows; those above are deleted when there is time.
  private static final int FREE_SLOTS = 64;
  private static final int MAX_DELETES = 64;

  private final RequestMemory memory;
  private final LongSupplier nanos;
  private final long startNanos;
  private final RequestIndex index;
  private final ArrayDeque<RequestRow> rows = new ArrayDeque<>();
  // The last freed is taken first, so that long unused ones can be deleted.
  private final ArrayDeque<String> freeKeys = new ArrayDeque<>();
  private final ArrayDeque<String> formerKeys = new ArrayDeque<>();
  private long startTime;
  private long slots;
  private long numbers;
  private RequestRow open;
  private long openSince;
  private boolean sealed = true;
  private long bytes;
  private long answers;

  RequestLog(RequestMemory memory, Machine machine) {
    this.memory = memory;
    this.index = new RequestIndex(machine.secureRandom());
    this.nanos = machine.time().nanos();
    this.startNanos = nanos.getAsLong();
  }

  void load(List<Row> stored) {
    List<RequestRow> loaded =
        stored.stream()
            .filter(row -> isOurs(row, RequestRow.FORMAT))
            .map(RequestRow::new)
            .sorted(Comparator.comparingLong(RequestRow::number))
            .toList();
    for (RequestRow row : loaded) {
      startTime = Math.max(startTime, row.time());
      numbers = Math.max(numbers, row.number() + 1);
      slots = Math.max(slots, Long.parseLong(row.key.substring(SLOT_PREFIX.length())) + 1);
    }
    loaded.forEach(this::load);
    stored.stream()
        .filter(row -> isOurs(row, RequestRow.FORMAT_OF_ONE))
        .map(row -> RequestRow.ofOne(row, startTime))
        .forEach(this::load);
    expire();
  }

  private static boolean isOurs(Row row, byte format) {
    if (!row.key().startsWith(PREFIX)) {
      return false;
    }
    byte stored = RequestRow.format(row);
    if (stored != RequestRow.FORMAT && stored != RequestRow.FORMAT_OF_ONE) {
      throw new IllegalStateException(
          row.key() + " has format " + stored + " (expected: at most " + RequestRow.FORMAT + ")");
    }
    return stored == format;
  }

  private void load(RequestRow row) {
    rows.add(row);
    row.forEach(at -> index.put(row.id(at), row, at));
    use(row.length() + ROW_OVERHEAD, row.entries());
  }

  /** Null if the request is not known. */
  RememberedAnswer find(RequestId id) {
    return index.find(id);
  }

  @Override
  public void add(byte[] entry) {
    long time = time();
    if (isOpenDone(time)) {
      begin(time);
    }
    sealed = false;
    open.time(time);
    int at = open.add(entry);
    index.put(open.id(at), open, at);
    use(entry.length, 1);
  }

  private boolean isOpenDone(long time) {
    return open == null
        || sealed
            && (open.length() >= FULL_BYTES
                // Else a trickle of requests would keep the first of them for ever.
                || time - openSince > memory.retention().toMillis() / 16);
  }

  private void begin(long time) {
    if (open != null) {
      open.trim();
    }
    String key = freeKeys.isEmpty() ? SLOT_PREFIX + slots++ : freeKeys.removeLast();
    open = new RequestRow(key, numbers++, time);
    openSince = time;
    rows.add(open);
    use(RequestRow.HEADER + ROW_OVERHEAD, 0);
  }

  @Override
  public Write seal() {
    sealed = true;
    return Write.put(open.key, open.copy());
  }

  @Override
  public int carriedBytes() {
    return isOpenDone(time()) ? RequestRow.HEADER : open.length();
  }

  /** Forgets the rows that have had their time. */
  void expire() {
    long time = time();
    while (!rows.isEmpty() && isExpired(rows.peek(), time)) {
      RequestRow row = rows.remove();
      row.forEach(at -> index.remove(row.id(at), row));
      use(-row.length() - ROW_OVERHEAD, -row.entries());
      (row.key.startsWith(SLOT_PREFIX) ? freeKeys : formerKeys).add(row.key);
      if (row == open) {
        open = null;
      }
    }
  }

  private boolean isExpired(RequestRow row, long time) {
    // More than: both times were rounded down.
    return time - row.time() > memory.retention().toMillis() && (sealed || row != open);
  }

  /** Deletes some rows that are no longer needed. */
  void trim(Tx tx) {
    for (int i = 0; i < MAX_DELETES && hasSurplus(); i++) {
      tx.delete((formerKeys.isEmpty() ? freeKeys : formerKeys).remove());
    }
  }

  boolean hasSurplus() {
    return !formerKeys.isEmpty() || freeKeys.size() > FREE_SLOTS + rows.size() / 4;
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Until the oldest row has had its time. */
  Duration untilExpiry() {
    return rows.isEmpty()
        ? Duration.ZERO
        : memory.retention().plusMillis(1 + rows.peek().time() - time());
  }

  /** What it uses of the node's memory. */
  long bytes() {
    return bytes;
  }

  /** Gives back what it used of the node's memory. */
  void close() {
    use(-bytes, 0);
    memory.use(0, -answers);
    answers = 0;
  }

  private void use(long moreBytes, long moreAnswers) {
    long all = moreBytes + moreAnswers * RequestIndex.BYTES_AN_ENTRY;
    bytes += all;
    answers += moreAnswers;
    memory.use(all, moreAnswers);
  }

  private long time() {
    return startTime + TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - startNanos);
  }
}
