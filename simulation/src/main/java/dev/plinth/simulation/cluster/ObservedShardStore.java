package dev.plinth.simulation.cluster;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.Write;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** A store that tells of its claims, and is the store itself in all else. */
final class ObservedShardStore implements ShardStore {
  private final ShardStore store;
  private final String node;
  private final Takeovers takeovers;
  private final LongSupplier world;

  ObservedShardStore(ShardStore store, String node, Takeovers takeovers, LongSupplier world) {
    this.store = store;
    this.node = node;
    this.takeovers = takeovers;
    this.world = world;
  }

  @Override
  public Optional<OwnedShard> claim(int shard) {
    long asked = world.getAsLong();
    return store
        .claim(shard)
        .map(owned -> new ObservedShard(owned, takeovers.claimed(shard, node, asked), world));
  }

  private record ObservedShard(OwnedShard owned, Takeovers.Takeover takeover, LongSupplier world)
      implements OwnedShard {
    @Override
    public List<Row> load() {
      List<Row> rows = owned.load();
      takeover.loadedAt(world.getAsLong());
      return rows;
    }

    @Override
    public int shard() {
      return owned.shard();
    }

    @Override
    public long epoch() {
      return owned.epoch();
    }

    @Override
    public long revision() {
      return owned.revision();
    }

    @Override
    public CompletableFuture<CommitResult> commit(List<Write> writes) {
      return owned.commit(writes);
    }

    @Override
    public Optional<OwnedShard> reclaim() {
      return owned.reclaim();
    }

    @Override
    public void release() {
      owned.release();
    }

    @Override
    public boolean isLost() {
      return owned.isLost();
    }
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public int shards() {
    return store.shards();
  }

  @Override
  public String kind() {
    return store.kind();
  }

  @Override
  public int maxWrites() {
    return store.maxWrites();
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public ClusterSnapshot layout() {
    return store.layout();
  }

  @Override
  public Optional<String> unavailableReason() {
    return store.unavailableReason();
  }

  @Override
  public void announce(String address) {
    store.announce(address);
  }

  @Override
  public void withdraw() {
    store.withdraw();
  }

  @Override
  public long authorityUntil() {
    return store.authorityUntil();
  }

  @Override
  public boolean isClockTrusted() {
    return store.isClockTrusted();
  }

  @Override
  public Optional<Failure> readOnly() {
    return store.readOnly();
  }

  @Override
  public void close() {
    store.close();
  }
}
