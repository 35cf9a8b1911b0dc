package dev.plinth.shards.store.embedded;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

  private final boolean salvage;
  private boolean isFirst;
  private long last;
  private String gap = "";

  /**
   * @param salvage to end at a gap, and not to fail
   */
  LogChain(boolean salvage) {
    this.salvage = salvage;
  }

  /** The log that is read next follows tables that reach up to a write. */
  void beginBehind(long tables) {
    beginAnywhere();
    last = tables;
  }

  /** The log that is read next was read before: only its records are compared with each other. */
  void beginAnywhere() {
    isFirst = true;
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
      ByteBuffer record = ByteBuffer.wrap(batch.data()).order(ByteOrder.LITTLE_ENDIAN);
      return result(follows(file, record.getLong(), record.getInt()));
    } catch (RocksDBException e) {
      gap = "%s cannot be read: %s".formatted(file, e.getMessage());
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
