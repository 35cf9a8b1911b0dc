package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.engine.Budgets.Change;
import dev.plinth.ratelimit.engine.Budgets.Kind;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.embedded.LogChain;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.VectorMemTableConfig;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The rows of all domains in one RocksDB: {@code <kind><domain>\0<key>}, and {@code m} the end of
 * the block of tokens that is set aside.
 */
class BudgetDatabase implements AutoCloseable {
  /**
   * @param value empty if the row is removed
   */
  record Row(byte[] name, byte[] value) {
    private static final byte[] REMOVED = {};

    static Row of(String domain, Change change) {
      String name = change.kind().letter() + domain + '\0' + change.key();
      return new Row(bytes(name), change.isRemoval() ? REMOVED : bytes(change.text()));
    }
  }

  /** Takes what was stored, row by row. */
  interface Reader {
    void row(Kind kind, String domain, String key, String text);
  }

  private static final String TOKENS = "m";

  private final Path folder;
  private final CheckpointMarks marks;
  private final LogChain chain = new LogChain(true);
  private final Options options;
  private final RocksDB db;
  private final WriteOptions buffered = new WriteOptions();
  private final WriteOptions synced = new WriteOptions().setSync(true);

  static {
    RocksDB.loadLibrary();
  }

  /**
   * Opens the folder, made if it is not there. Of its log all is taken up to the first gap or
   * damage: behind the last checkpoint that may be what a crash left, before it the start is
   * refused.
   */
  BudgetDatabase(Path folder) {
    this.folder = folder;
    marks = CheckpointMarks.open(folder);
    // A vector takes rows in half the time and is sorted when it is full: nothing is read before
    // the next start.
    options =
        new Options()
            .setCreateIfMissing(marks.isNew())
            .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
            .setMemTableConfig(new VectorMemTableConfig())
            .setAllowConcurrentMemtableWrite(false)
            .setCompressionType(CompressionType.NO_COMPRESSION);
    try {
      db = chain.open(folder, marks.isNew(), options);
    } catch (RocksDBException e) {
      closeSettings();
      throw refusal(e);
    }
  }

  private StoreUnavailable refusal(RocksDBException e) {
    Status.Code code = e.getStatus() == null ? null : e.getStatus().getCode();
    String what = String.valueOf(e.getMessage());
    return code == Status.Code.IOError && !what.contains("No such file")
        ? unavailable("cannot open " + folder, e)
        : CheckpointMarks.damaged(folder, what, e);
  }

  /**
   * Reads every row; the end of the block of tokens is the answer.
   *
   * @throws StoreUnavailable if a checkpoint is lost, or naming the row that is damaged
   */
  long load(Reader reader) {
    marks.check(db.getLatestSequenceNumber());
    long tokens = marks.tokens();
    try (RocksIterator rows = db.newIterator()) {
      for (rows.seekToFirst(); rows.isValid(); rows.next()) {
        String name = string(rows.key());
        try {
          if (name.equals(TOKENS)) {
            tokens = Math.max(tokens, Long.parseLong(string(rows.value())));
          } else {
            int end = name.indexOf('\0');
            if (end < 1) {
              throw new IllegalArgumentException("no domain (expected: one before a zero byte)");
            }
            reader.row(
                Kind.of(name.charAt(0)),
                name.substring(1, end),
                name.substring(end + 1),
                string(rows.value()));
          }
        } catch (IllegalArgumentException e) {
          String row = name.replace('\0', ' ');
          String what = "row %s is damaged: %s".formatted(row, e.getMessage());
          throw CheckpointMarks.damaged(folder, what, e);
        }
      }
      rows.status();
    } catch (RocksDBException e) {
      throw refusal(e);
    }
    return tokens;
  }

  /** Writes all rows or none, in the log behind what was written before. */
  void write(List<Row> rows) throws RocksDBException {
    try (WriteBatch batch = new WriteBatch()) {
      for (Row row : rows) {
        if (row.value.length == 0) {
          batch.delete(row.name);
        } else {
          batch.put(row.name, row.value);
        }
      }
      db.write(buffered, batch);
    }
  }

  /** Sets tokens aside. They and all that was written before are on the disk when it returns. */
  void sync(long tokens) throws RocksDBException {
    db.put(synced, bytes(TOKENS), bytes(Long.toString(tokens)));
    marks.synced(db.getLatestSequenceNumber(), tokens);
  }

  @Override
  public void close() {
    db.close();
    closeSettings();
  }

  private void closeSettings() {
    buffered.close();
    synced.close();
    options.close();
    chain.close();
    marks.close();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String string(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static StoreUnavailable unavailable(String what, Exception cause) {
    return StoreUnavailable.notApplied(
        EmbeddedBudgetStore.ENGINE, what + ": " + cause.getMessage(), cause);
  }
}
