package dev.plinth.shards.store.embedded;

import dev.plinth.shards.store.Row;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The RocksDB of the embedded store. After a write that failed it is opened again, for reading only
 * at first: what its files hold then is what was applied. Writes come from one thread.
 */
final class Database implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.shards");
  private static final int ROOM = 1 << 20;
  private static final int KEPT_LOGS = 10;

  static {
    RocksDB.loadLibrary();
  }

  private final Path directory;
  private final Options options;
  private final LogChain chain;
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private RocksDB db; // null while it could not be opened again

  private Database(Path directory, Options options, LogChain chain, RocksDB db) {
    this.directory = directory;
    this.options = options;
    this.chain = chain;
    this.db = db;
  }

  /**
   * Opens the folder. Of its log, an incomplete last record is forgiven: it was on its way to the
   * disk when the process ended, and acknowledged to nobody.
   *
   * @param create whether the folder may be empty
   * @param salvage to take what lies before a damaged record, and lose the rest
   * @param tuned has the settings that no promise depends on
   */
  static Database open(Path directory, boolean create, boolean salvage, Supplier<Options> tuned)
      throws RocksDBException {
    LogChain chain = new LogChain(salvage);
    Options options =
        tuned
            .get()
            .setWalFilter(chain)
            .setCreateIfMissing(create)
            .setParanoidChecks(true)
            .setKeepLogFileNum(KEPT_LOGS)
            .setWalRecoveryMode(
                salvage
                    ? WALRecoveryMode.PointInTimeRecovery
                    : WALRecoveryMode.TolerateCorruptedTailRecords);
    try {
      return new Database(directory, options, chain, open(directory, create, options, chain));
    } catch (RocksDBException e) {
      options.close();
      chain.close();
      throw chain.gap().isEmpty() ? e : new RocksDBException(chain.gap(), e.getStatus());
    }
  }

  /**
   * What cannot be seen of the tables is told only if the folder opens: most often it does not, and
   * says itself why, for instance that another process holds it.
   */
  private static RocksDB open(Path directory, boolean create, Options options, LogChain chain)
      throws RocksDBException {
    Optional<RocksDBException> unseen = Optional.empty();
    chain.beginAnywhere();
    if (!create) {
      try {
        chain.beginBehind(TablesOnly.lastWrite(directory));
      } catch (RocksDBException e) {
        unseen = Optional.of(e);
      }
    }
    RocksDB db = RocksDB.open(options, directory.toString());
    if (unseen.isPresent()) {
      db.close();
      throw unseen.get();
    }
    return db;
  }

  /** Reads every table once; a damaged one names its file. */
  void verify() throws RocksDBException {
    db().verifyChecksum();
  }

  byte[] get(byte[] key) throws RocksDBException {
    lock.readLock().lock();
    try {
      return db().get(key);
    } finally {
      lock.readLock().unlock();
    }
  }

  List<Row> rows(byte[] prefix) throws RocksDBException {
    lock.readLock().lock();
    try (Slice end = new Slice(EmbeddedKeys.after(prefix));
        ReadOptions read = new ReadOptions().setIterateUpperBound(end);
        RocksIterator rows = db().newIterator(read)) {
      List<Row> all = new ArrayList<>();
      for (rows.seek(prefix); rows.isValid(); rows.next()) {
        all.add(new Row(EmbeddedKeys.name(rows.key()), rows.value()));
      }
      rows.status();
      return all;
    } finally {
      lock.readLock().unlock();
    }
  }

  private RocksDB db() throws RocksDBException {
    if (db == null) {
      throw new RocksDBException("it could not be opened again after a write that failed");
    }
    return db;
  }

  /** The number of the last write. */
  long sequence() throws RocksDBException {
    lock.readLock().lock();
    try {
      return db().getLatestSequenceNumber();
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Waits for the disk. */
  void write(WriteBatch batch) throws RocksDBException {
    lock.readLock().lock();
    try {
      db().write(synced, batch);
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Opens it again for reading only. The log is synced first: whether the write that failed is in
   * it must not change any more.
   */
  void openToRead() {
    lock.writeLock().lock();
    try {
      closeDb();
      syncLogs();
      chain.beginAnywhere();
      db = RocksDB.openReadOnly(options, directory.toString());
    } catch (RocksDBException | IOException e) {
      log.log(Level.WARNING, "cannot read " + directory + " after a write that failed: " + e);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Opens it again for writing, if the disk seems to take writes.
   *
   * @throws RocksDBException if it does not; then it is as {@link #openToRead} leaves it
   */
  void openToWrite(WriteBatch trial) throws RocksDBException {
    tryDisk();
    lock.writeLock().lock();
    try {
      closeDb();
      chain.beginAnywhere();
      db = RocksDB.open(options, directory.toString());
      db.write(synced, trial);
    } catch (RocksDBException e) {
      openToRead();
      throw e;
    } finally {
      lock.writeLock().unlock();
    }
  }

  private void closeDb() {
    if (db != null) {
      db.close();
      db = null;
    }
  }

  private void syncLogs() throws IOException {
    for (Path file : logs(directory)) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }
  }

  /** The files of the write-ahead log, the oldest first. */
  static List<Path> logs(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .sorted(Comparator.comparing(Path::getFileName))
          .toList();
    }
  }

  private void tryDisk() throws RocksDBException {
    Path trial = directory.resolve("trial");
    try (FileChannel channel =
        FileChannel.open(trial, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer room = ByteBuffer.allocate(ROOM);
      while (room.hasRemaining()) {
        channel.write(room);
      }
      channel.force(true);
    } catch (IOException e) {
      throw new RocksDBException(String.valueOf(e.getMessage()));
    } finally {
      delete(trial);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // Not there, or the disk is gone, which the trial has told.
    }
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      closeDb();
      options.close();
      chain.close();
      synced.close();
    } finally {
      lock.writeLock().unlock();
    }
  }
}
