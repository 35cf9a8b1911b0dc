package dev.plinth.ratelimit.store.embedded;

import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.RocksDBException;

/**
 * A folder, the time, the checkpoints of the store that is open in it, and a disk that can fail.
 */
final class TimedEmbeddedStore {
  static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Path parent;
  private ManualClock checkpoints = new ManualClock();
  private int copies;
  volatile long now;
  volatile boolean diskFails;
  volatile Runnable beforeWrite = () -> {};

  TimedEmbeddedStore(Path parent) {
    this.parent = parent;
  }

  Path folder() {
    return parent.resolve("data" + copies);
  }

  EmbeddedBudgetStore open() {
    checkpoints = new ManualClock();
    BudgetDatabase file =
        new BudgetDatabase(folder()) {
          @Override
          void write(List<Row> rows) throws RocksDBException {
            fail();
            beforeWrite.run();
            super.write(rows);
          }

          @Override
          void sync(long tokens) throws RocksDBException {
            fail();
            super.sync(tokens);
          }
        };
    return EmbeddedBudgetStore.open(
        folder(), file, INTERVAL, () -> now, checkpoints.scheduler(), new RowMemory(1L << 30));
  }

  private void fail() throws RocksDBException {
    if (diskFails) {
      throw new RocksDBException("No space left on device");
    }
  }

  /** Lets an interval pass, and so a checkpoint; not in the time that budgets go by. */
  void checkpoint() {
    checkpoints.advance(INTERVAL);
  }

  /** The store ends without writing what came after its last checkpoint. */
  EmbeddedBudgetStore crash(EmbeddedBudgetStore running) {
    diskFails = true;
    running.close();
    diskFails = false;
    return open();
  }

  /**
   * What a killed process leaves is what its files hold, so the next store works on a copy of them.
   * Only for a folder that was new: later RocksDB may be tidying it up.
   */
  EmbeddedBudgetStore kill(EmbeddedBudgetStore running) {
    Path from = folder();
    copies++;
    copy(from, folder());
    running.close();
    return open();
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.list(from)) {
      Files.createDirectories(to);
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
