package dev.plinth.shards.store.embedded;

import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Remembers that the disk refused a write, until it takes one again. */
final class WriteStop {
  private static final Logger log = System.getLogger("plinth.shards");

  private final Path directory;
  private volatile StoreUnavailable refusal;

  WriteStop(Path directory) {
    this.directory = directory;
  }

  void begin(RocksDBException failure) {
    String what =
        isFull(failure)
            ? "the disk of %s is full; work goes on by itself when there is room"
            : "a write to %s failed (" + failure.getMessage() + "); it is tried again every second";
    refusal = StoreUnavailable.readOnly(EmbeddedShardStore.ENGINE, what.formatted(directory));
    log.log(Level.ERROR, "no writes are taken: " + refusal.getMessage());
  }

  private static boolean isFull(RocksDBException failure) {
    Status status = failure.getStatus();
    return status != null && status.getSubCode() == Status.SubCode.NoSpace
        || String.valueOf(failure.getMessage()).contains("No space left");
  }

  void end() {
    refusal = null;
    log.log(Level.INFO, "writes to " + directory + " are taken again");
  }

  boolean isOn() {
    return refusal != null;
  }

  /** What is told to whoever would write. */
  Optional<Failure> refusal() {
    return Optional.ofNullable(refusal);
  }
}
