package dev.plinth.shards.store.embedded;

import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.HighWaterMarks;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;

/**
 * All shards in one RocksDB that one process holds (RocksDB locks its folder). The process is
 * always the owner, so an epoch only counts the claims. While the disk takes no writes the store is
 * read-only; it goes on by itself.
 */
public final class EmbeddedShardStore implements ShardStore {
  static final String ENGINE = "embedded";

  private final Path directory;
  private final LongSupplier nanos;
  private final int shards;
  private final Database db;
  private final HighWaterMarks marks;
  private final WriteStop stop;
  private final GroupWriter writer;
  private final TreeMap<Integer, EmbeddedShard> owned = new TreeMap<>();
  private final Set<Integer> claiming = new TreeSet<>();
  private String address = "";

  private EmbeddedShardStore(
      Path directory, int shards, Database db, HighWaterMarks marks, Machine machine) {
    this.nanos = machine.nanos();
    this.directory = directory;
    this.shards = shards;
    this.db = db;
    this.marks = marks;
    this.stop = new WriteStop(directory);
    this.writer = new GroupWriter(db, shards, marks, stop, machine);
  }

  /** Like the other, for data that was never restored. */
  public static EmbeddedShardStore open(Path directory, int shards) {
    return open(directory, shards, 0);
  }

  /** Like the other, on the machine of this process. */
  public static EmbeddedShardStore open(Path directory, int shards, int generation) {
    return open(directory, shards, generation, Machine.system());
  }

  /**
   * Opens the folder, made if it is not there.
   *
   * @param generation of the data; where it is higher than before, what is lost is given up
   * @throws StoreUnavailable if it is held, damaged, or was made for another number of shards
   */
  public static EmbeddedShardStore open(
      Path directory, int shards, int generation, Machine machine) {
    return open(directory, shards, generation, machine, Options::new);
  }

  static EmbeddedShardStore open(
      Path directory, int shards, int generation, Machine machine, Supplier<Options> tuned) {
    boolean known = LastCommitFile.exist(directory);
    Database db = null;
    HighWaterMarks marks = null;
    try {
      boolean salvage =
          known
              && LastCommitFile.isRaised(
                  marks = LastCommitFile.open(directory, shards), generation);
      db = Database.open(directory, !known, salvage, tuned);
      checkShards(db, shards, directory);
      db.verify();
      marks = known ? marks : LastCommitFile.open(directory, shards);
      LastCommitFile.check(db, marks, shards, generation, directory);
      return new EmbeddedShardStore(directory, shards, db, marks, machine);
    } catch (RocksDBException | StoreUnavailable e) {
      close(db, marks);
      throw e instanceof StoreUnavailable told
          ? told
          : refusal(directory, known, (RocksDBException) e);
    }
  }

  private static StoreUnavailable refusal(Path directory, boolean known, RocksDBException e) {
    Status.Code code = e.getStatus() == null ? null : e.getStatus().getCode();
    boolean isMissing = String.valueOf(e.getMessage()).contains("No such file");
    boolean damaged =
        code == Status.Code.Corruption || known && (code != Status.Code.IOError || isMissing);
    return damaged
        ? LastCommitFile.damaged(directory, String.valueOf(e.getMessage()), e)
        : unavailable("cannot open " + directory, e);
  }

  private static void checkShards(Database db, int shards, Path directory) throws RocksDBException {
    byte[] stored = db.get(EmbeddedKeys.SHARDS);
    if (stored == null) {
      try (WriteBatch batch = new WriteBatch()) {
        batch.put(EmbeddedKeys.SHARDS, EmbeddedKeys.number(shards));
        db.write(batch);
      }
    } else if (EmbeddedKeys.number(stored) != shards) {
      throw unavailable(
          "%s holds %d shards (expected: %d)"
              .formatted(directory, EmbeddedKeys.number(stored), shards),
          null);
    }
  }

  @Override
  public int shards() {
    return shards;
  }

  @Override
  public int maxWrites() {
    return Integer.MAX_VALUE;
  }

  @Override
  public Optional<OwnedShard> claim(int shard) {
    if (!begin(shard)) {
      return Optional.empty();
    }
    Optional<EmbeddedShard> mine = Optional.empty();
    try {
      ShardMeta meta = meta(shard);
      ShardMeta next = new ShardMeta(meta.epoch() + 1, meta.revision());
      // Not under the lock, which nobody holds while it waits.
      writer.await(writer.write(new GroupWriter.Group(shard, next, List.of(), null)));
      mine = Optional.of(new EmbeddedShard(this, shard, next));
      return mine.map(made -> made);
    } finally {
      end(shard, mine);
    }
  }

  private synchronized boolean begin(int shard) {
    return !owned.containsKey(shard) && claiming.add(shard);
  }

  private synchronized void end(int shard, Optional<EmbeddedShard> made) {
    claiming.remove(shard);
    made.ifPresent(mine -> owned.put(shard, mine));
  }

  /** Puts another in the place of a claim that had a commit fail; empty if it cannot be read. */
  synchronized Optional<EmbeddedShard> reclaim(EmbeddedShard before) {
    try {
      EmbeddedShard same = new EmbeddedShard(this, before.shard(), meta(before.shard()));
      before.ends();
      owned.put(before.shard(), same);
      return Optional.of(same);
    } catch (StoreUnavailable e) {
      return Optional.empty();
    }
  }

  private ShardMeta meta(int shard) {
    try {
      byte[] stored = db.get(EmbeddedKeys.meta(shard));
      return stored == null ? ShardMeta.NEW : ShardMeta.decode(stored);
    } catch (RocksDBException e) {
      throw unavailable("cannot read shard " + shard, e);
    }
  }

  /** The process is the only node there can be. */
  @Override
  public synchronized ClusterSnapshot layout() {
    String process = "process " + ProcessHandle.current().pid();
    Node self = new Node(process, process, address, true);
    return new ClusterSnapshot(
        address.isEmpty() ? List.of() : List.of(self),
        owned.values().stream()
            .map(s -> new Owner(s.shard(), self, s.epoch(), s.revision()))
            .toList());
  }

  @Override
  public synchronized void announce(String at) {
    address = at;
  }

  @Override
  public synchronized void withdraw() {
    address = "";
  }

  /** Nobody can take a shard from a process that holds the folder's lock. */
  @Override
  public long authorityUntil() {
    return nanos.getAsLong() + Long.MAX_VALUE / 2;
  }

  List<Row> load(int shard) {
    try {
      return db.rows(EmbeddedKeys.rows(shard));
    } catch (RocksDBException e) {
      throw unavailable("cannot load shard " + shard, e);
    }
  }

  GroupWriter writer() {
    return writer;
  }

  synchronized void released(EmbeddedShard shard) {
    owned.remove(shard.shard(), shard);
  }

  @Override
  public String name() {
    return "coordination";
  }

  @Override
  public String kind() {
    return ENGINE;
  }

  @Override
  public String location() {
    return directory.toString();
  }

  @Override
  public Optional<String> unavailableReason() {
    return stop.refusal().map(Failure::getMessage);
  }

  @Override
  public Optional<Failure> readOnly() {
    return stop.refusal();
  }

  @Override
  public void close() {
    writer.close();
    synchronized (this) {
      owned.clear();
    }
    close(db, marks);
  }

  private static void close(Database db, HighWaterMarks marks) {
    if (db != null) {
      db.close();
    }
    if (marks != null) {
      marks.close();
    }
  }

  static StoreUnavailable unavailable(String what, Exception cause) {
    String why = cause == null ? "" : ": " + cause.getMessage();
    return StoreUnavailable.notApplied(ENGINE, what + why, cause);
  }
}
