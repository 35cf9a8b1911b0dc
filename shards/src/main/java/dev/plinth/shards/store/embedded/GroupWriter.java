package dev.plinth.shards.store.embedded;

import dev.plinth.server.Threads;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The one thread that writes. Whatever the shards have handed in while the last write was on its
 * way to the disk leaves as one batch with one sync: no waiting when idle, large groups under load.
 */
final class GroupWriter implements AutoCloseable {
  /** One shard's commit. */
  record Group(int shard, ShardMeta meta, List<Write> writes) {}

  private record Queued(Group group, CompletableFuture<Void> done) {}

  private static final Queued END = new Queued(null, null);
  // Bounds how long one batch keeps the next waiting.
  private static final int MOST_GROUPS = 1024;

  private final RocksDB db;
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final LinkedBlockingQueue<Queued> queue = new LinkedBlockingQueue<>();
  private final Thread thread = Threads.daemons("plinth-writer").newThread(this::run);
  private volatile RocksDBException failure;

  GroupWriter(RocksDB db) {
    this.db = db;
    thread.start();
  }

  CompletableFuture<Void> write(Group group) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    if (failure != null) {
      done.completeExceptionally(EmbeddedShardStore.unavailable("write refused", failure));
    } else {
      queue.add(new Queued(group, done));
    }
    return done;
  }

  /** For the rare writes outside of commits; waits for the disk. */
  void writeNow(WriteBatch batch) throws RocksDBException {
    if (failure != null) {
      throw failure;
    }
    db.write(synced, batch);
  }

  /** Waits until all that was handed in before is written or refused. */
  void flush() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.add(new Queued(null, done));
    done.join();
  }

  /** The write error that ended this writer, if any. */
  Optional<RocksDBException> failure() {
    return Optional.ofNullable(failure);
  }

  private void run() {
    List<Queued> groups = new ArrayList<>();
    try {
      do {
        groups.clear();
        groups.add(queue.take());
        queue.drainTo(groups, MOST_GROUPS);
        boolean last = groups.remove(END);
        writeAll(groups);
        if (last) {
          return;
        }
      } while (true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void writeAll(List<Queued> groups) {
    try (WriteBatch batch = new WriteBatch()) {
      if (failure != null) {
        throw failure;
      }
      for (Queued queued : groups) {
        add(batch, queued.group);
      }
      if (batch.count() > 0) {
        db.write(synced, batch);
      }
      groups.forEach(queued -> queued.done.complete(null));
    } catch (RocksDBException e) {
      failure = e;
      StoreUnavailable unknown =
          StoreUnavailable.outcomeUnknown(
              EmbeddedShardStore.ENGINE, "write failed: " + e.getMessage(), e);
      groups.forEach(queued -> queued.done.completeExceptionally(unknown));
    }
  }

  private static void add(WriteBatch batch, Group group) throws RocksDBException {
    if (group == null) {
      return;
    }
    for (Write write : group.writes()) {
      byte[] key = Keys.row(group.shard(), write.key());
      if (write.isDelete()) {
        batch.delete(key);
      } else {
        batch.put(key, write.value());
      }
    }
    batch.put(Keys.meta(group.shard()), group.meta().encode());
  }

  @Override
  public void close() {
    queue.add(END);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synced.close();
  }
}
