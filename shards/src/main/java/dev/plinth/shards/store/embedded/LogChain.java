package dev.plinth.shards.store.embedded;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import org.rocksdb.AbstractWalFilter;
import org.rocksdb.RocksDBException;
import org.rocksdb.WalProcessingOption;
import org.rocksdb.WriteBatch;

/**
 * Holds the records of the log together while RocksDB reads them: each begins with the number after
 * the last one, and the first follows what the tables hold. RocksDB itself skips a zeroed header, a
 * log that is cut or missing, and tables that a cut manifest does not name, and goes on with what
 * comes after.
 */
final class LogChain extends AbstractWalFilter {
  private static final long ANYWHERE = -1;

  private final Path directory;
  private final boolean salvage;
  private boolean isFirst;
  private boolean isBehindTables;
  private long last;
  private String gap = "";

  /**
   * @param salvage to end at a gap, and not to fail
   */
  LogChain(Path directory, boolean salvage) {
    this.directory = directory;
    this.salvage = salvage;
  }

  /** The log that is read next follows the tables. */
  void beginBehindTables() {
    beginAnywhere();
    isBehindTables = true;
  }

  /** The log that is read next was read before: only its records are compared with each other. */
  void beginAnywhere() {
    isFirst = true;
    isBehindTables = false;
    last = ANYWHERE;
    gap = "";
  }

  /** Where something is missing; empty if nothing is. */
  String gap() {
    return gap;
  }

  @Override
  public void columnFamilyLogNumberMap(Map<Integer, Long> logs, Map<String, Integer> ids) {}

  @Override
  public LogRecordFoundResult logRecordFound(
      long number, String file, WriteBatch batch, WriteBatch changed) {
    try {
      if (isFirst && isBehindTables) {
        last = TablesOnly.lastWrite(directory); // here the folder is locked
      }
      ByteBuffer record = ByteBuffer.wrap(batch.data()).order(ByteOrder.LITTLE_ENDIAN);
      return result(follows(file, record.getLong(), record.getInt()));
    } catch (RocksDBException e) {
      gap = "%s cannot be compared with the tables: %s".formatted(file, e.getMessage());
      return result(false);
    }
  }

  private boolean follows(String file, long sequence, int count) {
    // What the tables may reach up to was counted when the manifest was written: some of that may
    // lie in the log.
    boolean follows = last == ANYWHERE || sequence == last + 1 || isFirst && sequence <= last;
    if (!follows) {
      gap = "%s goes on with write %d after %d".formatted(file, sequence, last);
    }
    isFirst = false;
    last = sequence + count - 1;
    return follows;
  }

  private LogRecordFoundResult result(boolean follows) {
    WalProcessingOption then =
        follows
            ? WalProcessingOption.CONTINUE_PROCESSING
            : salvage ? WalProcessingOption.STOP_REPLAY : WalProcessingOption.CORRUPTED_RECORD;
    return new LogRecordFoundResult(then, false);
  }

  @Override
  public String name() {
    return "plinth-log-chain";
  }
}
