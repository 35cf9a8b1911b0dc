package dev.plinth.shards.store.embedded;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.HighWaterMarks;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.RocksDBException;

/**
 * The number of the last acknowledged commit of each shard, and of RocksDB's last write, in a file
 * beside RocksDB's own. A store that is opened and found behind its marks has lost commits or
 * claims: a part of its log is gone.
 */
final class LastCommitFile {
  static final String FILE = "COMMITTED";

  private static final Logger log = System.getLogger("plinth.shards");
  private static final int GENERATION = 0;

  private LastCommitFile() {}

  static boolean exist(Path directory) {
    return Files.exists(directory.resolve(FILE));
  }

  static HighWaterMarks open(Path directory, int shards) {
    List<String> names = new ArrayList<>(List.of("generation"));
    for (int i = 0; i < shards; i++) {
      names.add(String.valueOf(i));
    }
    names.add("sequence");
    try {
      Files.createDirectories(directory);
      return HighWaterMarks.open(directory.resolve(FILE), names);
    } catch (IOException e) {
      throw EmbeddedShardStore.unavailable(
          "%s cannot be used; if nothing else in the folder is damaged, delete it"
              .formatted(directory.resolve(FILE)),
          e);
    }
  }

  static int of(int shard) {
    return shard + 1;
  }

  static int sequence(int shards) {
    return shards + 1;
  }

  /** Whether the operator has given up what may be lost. */
  static boolean isRaised(HighWaterMarks marks, int generation) {
    return generation > marks.get(GENERATION);
  }

  /** Refuses a database that has not all that was acknowledged, unless the loss is accepted. */
  static void check(Database db, HighWaterMarks marks, int shards, int generation, Path directory)
      throws RocksDBException {
    boolean accepted = isRaised(marks, generation);
    long last = db.sequence();
    long lastMarked = marks.get(sequence(shards));
    if (last < lastMarked && !accepted) {
      throw damaged(directory, "it ends at write %d of %d".formatted(last, lastMarked), null);
    }
    marks.reset(sequence(shards), last);
    for (int shard = 0; shard < shards; shard++) {
      byte[] stored = db.get(EmbeddedKeys.meta(shard));
      long revision = stored == null ? 0 : ShardMeta.decode(stored).revision();
      long marked = marks.get(of(shard));
      if (revision < marked && !accepted) {
        throw damaged(
            directory, "shard %d ends at commit %d of %d".formatted(shard, revision, marked), null);
      }
      if (revision < marked) {
        log.log(Level.WARNING, "shard {0}: {1} commits are lost", shard, marked - revision);
      }
      marks.reset(of(shard), revision);
    }
    if (accepted) {
      marks.raise(GENERATION, generation);
    }
    marks.write();
  }

  /** Says what is damaged and what to do. */
  static StoreUnavailable damaged(Path directory, String what, Exception cause) {
    return StoreUnavailable.notApplied(
        EmbeddedShardStore.ENGINE,
        ("%s is damaged: %s. Acknowledged commits are lost (log: %s). Put back a backup of this"
                + " folder, or go on with what is left; either way start with"
                + " --shards.generation one higher than before, so that tokens go on rising")
            .formatted(directory, what, logs(directory)),
        cause);
  }

  private static String logs(Path directory) {
    try {
      List<Path> logs = Database.logs(directory);
      return logs.isEmpty() ? "missing" : logs.get(logs.size() - 1).toString();
    } catch (IOException e) {
      return "unreadable";
    }
  }
}
