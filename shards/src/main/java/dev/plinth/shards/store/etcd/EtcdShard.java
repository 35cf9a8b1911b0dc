package dev.plinth.shards.store.etcd;

import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.Write;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One claim of a shard. */
final class EtcdShard implements OwnedShard {
  private final EtcdShardStore store;
  private final Ownership.Claimed claimed;
  private final NodeSession nodeSession;
  private final FencedTxns txns;
  private final CommitSender commitSender;
  private long revision;
  private volatile boolean released;

  EtcdShard(EtcdShardStore store, NodeSession nodeSession, Ownership.Claimed claimed) {
    this.store = store;
    this.claimed = claimed;
    this.nodeSession = nodeSession;
    this.revision = claimed.revision();
    this.txns = store.fenced(claimed.shard(), claimed.epoch());
    this.commitSender = store.commits(txns, nodeSession, revision);
  }

  @Override
  public int shard() {
    return claimed.shard();
  }

  @Override
  public long epoch() {
    return claimed.epoch();
  }

  @Override
  public long revision() {
    return revision;
  }

  NodeSession session() {
    return nodeSession;
  }

  FencedTxns txns() {
    return txns;
  }

  CommitSender commits() {
    return commitSender;
  }

  @Override
  public boolean isLost() {
    return released || nodeSession.isExpired();
  }

  @Override
  public List<Row> load() {
    return store.load(txns, shard(), this::mayContinue);
  }

  private boolean mayContinue() {
    return nodeSession.hasAuthority(store.nanos());
  }

  @Override
  public CompletableFuture<CommitResult> commit(List<Write> writes) {
    if (writes.size() > EtcdShardStore.MAX_WRITES) {
      throw new IllegalArgumentException(
          writes.size() + " writes (expected: at most " + EtcdShardStore.MAX_WRITES + ")");
    }
    if (isLost()) {
      return CompletableFuture.completedFuture(CommitResult.DEPOSED);
    }
    revision++;
    return commitSender.add(revision, writes);
  }

  @Override
  public Optional<OwnedShard> reclaim() {
    return released ? Optional.empty() : store.reclaim(this).map(same -> same);
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
    store.await(commitSender.quiet(), null, Math.max(0, nanos));
    commitSender.cut("the shard was given up before the answer came");
  }
}
