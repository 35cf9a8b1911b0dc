package dev.plinth.shards.store.etcd;

import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.Write;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One claim of a shard. */
final class EtcdShard implements OwnedShard {
  private final EtcdShardStore store;
  private final int shard;
  private final long epoch;
  private final Session session;
  private final FencedTxns txns;
  private final Commits commits;
  private long revision;
  private volatile boolean released;

  EtcdShard(EtcdShardStore store, Session session, Ownership.Claimed claimed) {
    this.store = store;
    this.shard = claimed.shard();
    this.epoch = claimed.epoch();
    this.session = session;
    this.revision = claimed.revision();
    this.txns = store.fenced(shard, epoch);
    this.commits = store.commits(txns, session, revision);
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

  Session session() {
    return session;
  }

  FencedTxns txns() {
    return txns;
  }

  Commits commits() {
    return commits;
  }

  @Override
  public boolean isLost() {
    return released || session.isOver();
  }

  @Override
  public List<Row> load() {
    return new Loading(txns, shard, this::mayGoOn).all();
  }

  private boolean mayGoOn() {
    return session.hasAuthority(System.nanoTime());
  }

  @Override
  public CompletableFuture<Commit> commit(List<Write> writes) {
    if (writes.size() > EtcdShardStore.MAX_WRITES) {
      throw new IllegalArgumentException(
          writes.size() + " writes (expected: at most " + EtcdShardStore.MAX_WRITES + ")");
    }
    if (isLost()) {
      return CompletableFuture.completedFuture(Commit.DEPOSED);
    }
    revision++;
    return commits.add(revision, writes);
  }

  @Override
  public Optional<OwnedShard> again() {
    return released ? Optional.empty() : store.again(this).map(same -> same);
  }

  @Override
  public void release() {
    if (!released) {
      released = true;
      settle(store.settleNanos());
      store.released(this);
    }
  }

  /** Waits a while for the commits under way, then lets go of them. */
  void settle(long nanos) {
    commits.quiet().completeOnTimeout(null, Math.max(0, nanos), TimeUnit.NANOSECONDS).join();
    commits.cut("the shard was given up before the answer came");
  }
}
