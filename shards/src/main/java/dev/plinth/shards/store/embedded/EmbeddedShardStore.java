package dev.plinth.shards.store.embedded;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;

/**
 * All shards in one RocksDB that one process holds (RocksDB locks its folder). The process is
 * always the owner, so an epoch only counts the claims. A write that fails leaves RocksDB unfit to
 * go on: the store then says so until it is opened again.
 */
public final class EmbeddedShardStore implements ShardStore {
  static final String ENGINE = "embedded";

  private final Path folder;
  private final int shards;
  private final Options options;
  private final RocksDB db;
  private final GroupWriter writer;
  private final TreeMap<Integer, EmbeddedShard> owned = new TreeMap<>();
  private String address = "";

  static {
    RocksDB.loadLibrary();
  }

  private EmbeddedShardStore(Path folder, int shards, Options options, RocksDB db) {
    this.folder = folder;
    this.shards = shards;
    this.options = options;
    this.db = db;
    this.writer = new GroupWriter(db);
  }

  /**
   * Opens the folder, made if it is not there.
   *
   * @throws StoreUnavailable if it is held, damaged, or was made for another number of shards
   */
  public static EmbeddedShardStore open(Path folder, int shards) {
    Options options = new Options().setCreateIfMissing(true);
    RocksDB db = null;
    try {
      db = RocksDB.open(options, folder.toString());
      EmbeddedShardStore store = new EmbeddedShardStore(folder, shards, options, db);
      store.checkShards();
      return store;
    } catch (RocksDBException | StoreUnavailable e) {
      if (db != null) {
        db.close();
      }
      options.close();
      throw e instanceof StoreUnavailable known ? known : unavailable("cannot open " + folder, e);
    }
  }

  private void checkShards() throws RocksDBException {
    byte[] stored = db.get(Keys.SHARDS);
    if (stored == null) {
      try (WriteBatch batch = new WriteBatch()) {
        batch.put(Keys.SHARDS, Keys.number(shards));
        writer.writeNow(batch);
      }
    } else if (Keys.number(stored) != shards) {
      throw unavailable(
          "%s holds %d shards (expected: %d)".formatted(folder, Keys.number(stored), shards), null);
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
  public synchronized Optional<OwnedShard> claim(int shard) {
    if (owned.containsKey(shard)) {
      return Optional.empty();
    }
    try (WriteBatch batch = new WriteBatch()) {
      byte[] stored = db.get(Keys.meta(shard));
      ShardMeta meta = stored == null ? ShardMeta.NEW : ShardMeta.decode(stored);
      ShardMeta claimed = new ShardMeta(meta.epoch() + 1, meta.revision());
      batch.put(Keys.meta(shard), claimed.encode());
      writer.writeNow(batch);
      EmbeddedShard mine = new EmbeddedShard(this, shard, claimed);
      owned.put(shard, mine);
      return Optional.of(mine);
    } catch (RocksDBException e) {
      throw unavailable("cannot claim shard " + shard, e);
    }
  }

  /** The process is the only node there can be. */
  @Override
  public synchronized Layout layout() {
    String process = "process " + ProcessHandle.current().pid();
    Node self = new Node(process, process, address, true);
    return new Layout(
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
    return System.nanoTime() + Long.MAX_VALUE / 2;
  }

  List<Row> load(int shard) {
    byte[] prefix = Keys.rows(shard);
    try (Slice end = new Slice(Keys.after(prefix));
        ReadOptions read = new ReadOptions().setIterateUpperBound(end);
        RocksIterator rows = db.newIterator(read)) {
      List<Row> all = new ArrayList<>();
      for (rows.seek(prefix); rows.isValid(); rows.next()) {
        all.add(new Row(Keys.name(rows.key()), rows.value()));
      }
      rows.status();
      return all;
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
    return folder.toString();
  }

  @Override
  public Optional<String> trouble() {
    return writer.failure().map(failure -> "a write failed: " + failure.getMessage());
  }

  @Override
  public void close() {
    writer.close();
    synchronized (this) {
      owned.clear();
    }
    db.close();
    options.close();
  }

  static StoreUnavailable unavailable(String what, Exception cause) {
    String why = cause == null ? "" : ": " + cause.getMessage();
    return StoreUnavailable.notApplied(ENGINE, what + why, cause);
  }
}
