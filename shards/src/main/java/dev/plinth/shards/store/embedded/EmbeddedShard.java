package dev.plinth.shards.store.embedded;

import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.Write;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

final class EmbeddedShard implements OwnedShard {
  private final EmbeddedShardStore store;
  private final int shard;
  private final long epoch;
  private volatile long revision; // written by its owner alone, read by whoever looks
  private volatile boolean released;
  private volatile boolean broken; // written by the writer

  EmbeddedShard(EmbeddedShardStore store, int shard, ShardMeta meta) {
    this.store = store;
    this.shard = shard;
    this.epoch = meta.epoch();
    this.revision = meta.revision();
  }

  @Override
  public int shard() {
    return shard;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public long revision() {
    return revision;
  }

  @Override
  public List<Row> load() {
    return store.load(shard);
  }

  @Override
  public CompletableFuture<CommitResult> commit(List<Write> writes) {
    if (released) {
      return CompletableFuture.completedFuture(CommitResult.DEPOSED);
    }
    revision++;
    return store
        .writer()
        .write(new GroupWriter.Group(shard, new ShardMeta(epoch, revision), writes, this))
        .thenApply(done -> CommitResult.DONE);
  }

  @Override
  public boolean isLost() {
    return released;
  }

  /** One of its commits failed: none after it is written. */
  void breaks() {
    broken = true;
  }

  boolean isBroken() {
    return broken;
  }

  /** Nobody else can have claimed it, so it goes on from what the files hold. */
  @Override
  public Optional<OwnedShard> reclaim() {
    if (released || !broken) {
      return Optional.empty();
    }
    store.writer().flush();
    return store.reclaim(this).map(same -> same);
  }

  void ends() {
    released = true;
  }

  /** Commits under way are written in the order of the queue, before any of the next owner's. */
  @Override
  public void release() {
    if (!released) {
      released = true;
      store.writer().flush();
      store.released(this);
    }
  }
}
