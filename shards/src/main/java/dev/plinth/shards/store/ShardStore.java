package dev.plinth.shards.store;

import dev.plinth.server.Engine;
import java.util.List;
import java.util.Optional;

/**
 * The rows of shards, and who owns each shard. Every adapter passes ShardStoreContract.
 *
 * <p>At most one node owns a shard at any time. A claim has an epoch, higher than that of any claim
 * before it on the same shard, over restarts and changes of engine member too. What a former owner
 * still has under way can no longer be applied once another claim has succeeded. The only exception
 * that crosses this port is {@link dev.plinth.server.failure.Failure.StoreUnavailable}.
 */
public interface ShardStore extends Engine, AutoCloseable {
  /** A shard and the node that owns it, as an operator sees it. */
  record Owner(int shard, String node, long epoch) {}

  /** How many shards there are; the same for the life of the data. */
  int shards();

  /** Most writes in one commit. */
  int maxWrites();

  /** Becomes the owner of a shard, or finds that it has one: then empty. */
  Optional<OwnedShard> claim(int shard);

  /** Every shard that has an owner, in order. */
  List<Owner> owners();

  /**
   * Until when, on the clock of {@link System#nanoTime}, no other node can have become the owner of
   * a shard that this one claimed. It moves on while the engine answers. What is decided from
   * memory alone may leave only before.
   */
  long authorityUntil();

  /** Gives up every shard and closes the engine's client. */
  @Override
  void close();
}
