package dev.plinth.ratelimit.store.embedded;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.HighWaterMarks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The number of RocksDB's last write that a checkpoint has synced, and the end of the block of
 * tokens, in a file beside RocksDB's own. A folder that ends before its mark has lost a checkpoint.
 * Where the rest of the folder is given up, tokens continue from here.
 */
final class CheckpointMarks implements AutoCloseable {
  static final String FILE = "CHECKPOINT";

  private static final System.Logger LOG = System.getLogger(CheckpointMarks.class.getName());
  private static final List<String> NAMES = List.of("write", "tokens");
  private static final int WRITE = 0;
  private static final int TOKENS = 1;
  private static final String DATA = "CURRENT|.*\\.log|.*\\.sst";

  private final Path folder;
  private final HighWaterMarks marks;
  private final boolean isNew;

  private CheckpointMarks(Path folder, HighWaterMarks marks, boolean isNew) {
    this.folder = folder;
    this.marks = marks;
    this.isNew = isNew;
  }

  /** Opens the folder, made if it is not there. */
  static CheckpointMarks open(Path folder) {
    try {
      Files.createDirectories(folder);
      boolean isNew = isWithoutData(folder);
      HighWaterMarks marks = HighWaterMarks.open(folder.resolve(FILE), NAMES);
      if (isNew && marks.get(WRITE) > 0) {
        LOG.log(System.Logger.Level.WARNING, "{0} has no data: budgets begin full", folder);
        marks.reset(WRITE, 0);
        marks.write();
      }
      return new CheckpointMarks(folder, marks, isNew);
    } catch (IOException e) {
      throw BudgetDatabase.unavailable(
          "%s cannot be used; if nothing else in the folder is damaged, delete it"
              .formatted(folder.resolve(FILE)),
          e);
    }
  }

  private static boolean isWithoutData(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.noneMatch(file -> file.getFileName().toString().matches(DATA));
    }
  }

  /** Whether there is nothing to be read in the folder. */
  boolean isNew() {
    return isNew;
  }

  long tokens() {
    return marks.get(TOKENS);
  }

  /** Refuses a folder that ends before the last checkpoint. */
  void check(long lastWrite) {
    if (lastWrite < marks.get(WRITE)) {
      throw damaged(
          folder, "it ends at write %d of %d".formatted(lastWrite, marks.get(WRITE)), null);
    }
  }

  /** A checkpoint is on the disk. */
  void synced(long lastWrite, long tokens) {
    marks.reset(WRITE, lastWrite);
    marks.reset(TOKENS, tokens);
    marks.write();
  }

  /** Says what is damaged and what to do. */
  static StoreUnavailable damaged(Path folder, String what, Exception cause) {
    return StoreUnavailable.notApplied(
        EmbeddedBudgetStore.ENGINE,
        ("%s is damaged: %s. To begin with full budgets, delete everything in this folder but %s,"
                + " so that tokens of slots continue to rise")
            .formatted(folder, what, FILE),
        cause);
  }

  @Override
  public void close() {
    marks.close();
  }
}
