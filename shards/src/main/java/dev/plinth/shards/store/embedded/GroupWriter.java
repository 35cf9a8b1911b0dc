package dev.plinth.shards.store.embedded;

import dev.plinth.machine.Loop;
import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.HighWaterMarks;
import dev.plinth.shards.store.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  // Bounds how long one batch keeps the next waiting.
  private static final int MAX_GROUPS = 1024;
  // No disk takes so long and still works.
  private static final Duration LONGEST_WRITE = Duration.ofHours(1);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Database db;
  private final int shards;
  private final HighWaterMarks marks;
  private final WriteStop stop;
  private final Machine machine;
  private final Queue<Queued> queue = new ConcurrentLinkedQueue<>();
  private final Loop thread;
  private volatile boolean asleep;
  private long tried;

  GroupWriter(Database db, int shards, HighWaterMarks marks, WriteStop stop, Machine machine) {
    this.db = db;
    this.shards = shards;
    this.marks = marks;
    this.stop = stop;
    this.machine = machine;
    this.thread = machine.loop("plinth-writer", this::run);
    thread.start();
  }

  CompletableFuture<Void> write(Group group) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    queue.add(new Queued(group, done));
    if (asleep) {
      thread.wake();
    }
    return done;
  }

  /** Waits until all that was handed in before is written or refused. */
  void flush() {
    await(write(null));
  }

  /** Waits for a write; throws why it failed. */
  void await(CompletableFuture<Void> written) {
    try {
      machine.await(written, LONGEST_WRITE);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Failure known ? known : new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw unknown("no answer from the disk", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown("interrupted", e);
    }
  }

  private static StoreUnavailable unknown(String why, Exception cause) {
    return StoreUnavailable.outcomeUnknown(EmbeddedShardStore.ENGINE, why, cause);
  }

  /** What the thread does, over and over; returns for how long it may sleep then. */
  private long run() {
    asleep = false;
    if (stop.isOn() && nanos() - tried >= RETRY_NANOS) {
      retry();
    }
    writeQueued();
    asleep = true;
    // A group added before the flag was set would not wake us; one added after it does.
    if (!queue.isEmpty()) {
      return 0;
    }
    return stop.isOn() ? RETRY_NANOS : Loop.UNTIL_WOKEN;
  }

  private void writeQueued() {
    List<Queued> groups = new ArrayList<>();
    for (Queued next = queue.poll(); next != null; next = queue.poll()) {
      groups.add(next);
      if (groups.size() == MAX_GROUPS) {
        break;
      }
    }
    if (!groups.isEmpty()) {
      writeAll(groups);
    }
  }

  private long nanos() {
    return machine.nanos().getAsLong();
  }

  private void retry() {
    try (WriteBatch trial = new WriteBatch()) {
      trial.put(EmbeddedKeys.TRIAL, EmbeddedKeys.number(machine.wall().millis()));
      db.openToWrite(trial);
      stop.end();
    } catch (RocksDBException e) {
      tried = nanos();
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
      tried = nanos();
      StoreUnavailable unknown = unknown("write failed: " + e.getMessage(), e);
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
    thread.close();
    while (!queue.isEmpty()) {
      writeQueued(); // by whoever closes: nobody else does any more
    }
  }
}
