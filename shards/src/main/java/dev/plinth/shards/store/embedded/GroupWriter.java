package dev.plinth.shards.store.embedded;

import dev.plinth.machine.Threads;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.HighWaterMarks;
import dev.plinth.shards.store.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * The one thread that writes. Whatever the shards have handed in while the last write was on its
 * way to the disk leaves as one batch with one sync: no waiting when idle, large groups under load.
 *
 * <p>A write that fails stops all writing. The database is then opened to be read, and every second
 * it is tried whether it can be written again.
 */
final class GroupWriter implements AutoCloseable {
  /** One shard's commit, or its claim if the claim is null. */
  record Group(int shard, ShardMeta meta, List<Write> writes, EmbeddedShard claim) {
    boolean isBroken() {
      return claim != null && claim.isBroken();
    }
  }

  private record Queued(Group group, CompletableFuture<Void> done) {}

  private static final Queued END = new Queued(null, null);
  // Bounds how long one batch keeps the next waiting.
  private static final int MAX_GROUPS = 1024;
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Database db;
  private final int shards;
  private final HighWaterMarks marks;
  private final WriteStop stop;
  private final LinkedBlockingQueue<Queued> queue = new LinkedBlockingQueue<>();
  private final Thread thread = Threads.daemons("plinth-writer").newThread(this::run);
  private long tried;

  GroupWriter(Database db, int shards, HighWaterMarks marks, WriteStop stop) {
    this.db = db;
    this.shards = shards;
    this.marks = marks;
    this.stop = stop;
    thread.start();
  }

  CompletableFuture<Void> write(Group group) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.add(new Queued(group, done));
    return done;
  }

  /** Waits until all that was handed in before is written or refused. */
  void flush() {
    write(null).join();
  }

  private void run() {
    List<Queued> groups = new ArrayList<>();
    try {
      do {
        groups.clear();
        Queued first = stop.isOn() ? queue.poll(RETRY_NANOS, TimeUnit.NANOSECONDS) : queue.take();
        if (stop.isOn() && System.nanoTime() - tried >= RETRY_NANOS) {
          retry();
        }
        if (first == null) {
          continue;
        }
        groups.add(first);
        queue.drainTo(groups, MAX_GROUPS);
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

  private void retry() {
    try (WriteBatch trial = new WriteBatch()) {
      trial.put(EmbeddedKeys.TRIAL, EmbeddedKeys.number(System.currentTimeMillis()));
      db.openToWrite(trial);
      stop.end();
    } catch (RocksDBException e) {
      tried = System.nanoTime();
    }
  }

  private void writeAll(List<Queued> all) {
    List<Queued> groups = refuseBroken(all);
    try (WriteBatch batch = new WriteBatch()) {
      for (Queued queued : groups) {
        add(batch, queued.group);
      }
      if (batch.count() > 0) {
        db.write(batch);
        record(groups);
      }
      groups.forEach(queued -> queued.done.complete(null));
    } catch (RocksDBException e) {
      stop.begin(e);
      db.openToRead();
      tried = System.nanoTime();
      StoreUnavailable unknown =
          StoreUnavailable.outcomeUnknown(
              EmbeddedShardStore.ENGINE, "write failed: " + e.getMessage(), e);
      groups.forEach(queued -> fail(queued, unknown));
    }
  }

  /** What comes after a commit that failed must not be applied without it. */
  private List<Queued> refuseBroken(List<Queued> all) {
    Failure refusal = stop.refusal().orElse(null);
    List<Queued> good = new ArrayList<>(all.size());
    for (Queued queued : all) {
      if (queued.group == null || refusal == null && !queued.group.isBroken()) {
        good.add(queued);
      } else {
        fail(
            queued,
            refusal != null
                ? refusal
                : EmbeddedShardStore.unavailable("a commit before it failed", null));
      }
    }
    return good;
  }

  private static void fail(Queued queued, Failure why) {
    if (queued.group != null && queued.group.claim != null) {
      queued.group.claim.breaks();
    }
    queued.done.completeExceptionally(why);
  }

  /** Before anybody is told: what was acknowledged is in the marks. */
  private void record(List<Queued> groups) throws RocksDBException {
    for (Queued queued : groups) {
      if (queued.group != null) {
        marks.raise(LastCommitFile.of(queued.group.shard), queued.group.meta.revision());
      }
    }
    marks.raise(LastCommitFile.sequence(shards), db.sequence());
    marks.write();
  }

  private static void add(WriteBatch batch, Group group) throws RocksDBException {
    if (group == null) {
      return;
    }
    for (Write write : group.writes()) {
      byte[] key = EmbeddedKeys.row(group.shard(), write.key());
      if (write.isDelete()) {
        batch.delete(key);
      } else {
        batch.put(key, write.value());
      }
    }
    batch.put(EmbeddedKeys.meta(group.shard()), group.meta().encode());
  }

  @Override
  public void close() {
    queue.add(END);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
