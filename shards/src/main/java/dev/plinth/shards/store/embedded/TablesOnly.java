package dev.plinth.shards.store.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Looks at a RocksDB without its log. */
final class TablesOnly {
  private static final int FEW_FILES = 16;

  private TablesOnly() {}

  /** The last write that may be in the tables that the manifest names. */
  static long lastWrite(Path directory) throws RocksDBException {
    Path elsewhere = directory.resolve("no-logs");
    try {
      Files.createDirectories(elsewhere);
      try (Options options =
              new Options()
                  .setWalDir(elsewhere.toString())
                  .setDbLogDir(elsewhere.toString())
                  .setMaxOpenFiles(FEW_FILES)
                  .setSkipStatsUpdateOnDbOpen(true);
          RocksDB tables = RocksDB.openReadOnly(options, directory.toString())) {
        return tables.getLatestSequenceNumber();
      } finally {
        delete(elsewhere);
      }
    } catch (IOException e) {
      throw new RocksDBException(elsewhere + ": " + e.getMessage());
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> inside;
    try (Stream<Path> files = Files.list(folder)) {
      inside = files.toList();
    }
    for (Path file : inside) {
      Files.delete(file);
    }
    Files.delete(folder);
  }
}
