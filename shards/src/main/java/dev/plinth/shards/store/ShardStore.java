package dev.plinth.shards.store;

import dev.plinth.server.Engine;
import dev.plinth.server.failure.Failure;
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
  /**
   * A live node.
   *
   * @param id of one life of it: a node that starts again, or whose session was lost, has another
   * @param name what an operator calls it
   * @param address where other nodes reach it; empty for an owner that has not announced itself
   * @param self whether it is the node that asks
   */
  record Node(String id, String name, String address, boolean self) {}

  /** A shard, the node that owns it, and the number of its last commit. */
  record Owner(int shard, Node node, long epoch, long revision) {}

  /**
   * Who is there and who owns what, as of one moment.
   *
   * @param nodes those that have announced themselves, the longest there first: the same order for
   *     all who look
   * @param owners of every shard that has one, in order
   */
  record ClusterSnapshot(List<Node> nodes, List<Owner> owners) {}

  /** How many shards there are; the same for the life of the data. */
  int shards();

  /** Most writes in one commit. */
  int maxWrites();

  /** Becomes the owner of a shard, or finds that it has one: then empty. */
  Optional<OwnedShard> claim(int shard);

  /** As of now, not of some time ago: what any node did before the call is seen. */
  ClusterSnapshot layout();

  /**
   * Lets the other nodes know of this one and where it is, for as long as it lives. Where the
   * engine does not answer now, it is told when it does.
   */
  void announce(String address);

  /** Takes the announcement back. What the node owns stays its own until it is released. */
  void withdraw();

  /**
   * Until when, on the clock of {@link dev.plinth.machine.Machine#nanos}, no other node can have
   * become the owner of a shard that this one claimed. It moves on while the engine answers. What
   * is decided from memory alone may leave only before.
   */
  long authorityUntil();

  /**
   * False while authority is withheld since this machine's clocks contradict each other: it may
   * have slept, and others counted on meanwhile. It mends itself when the engine answers.
   */
  default boolean isClockTrusted() {
    return true;
  }

  /**
   * Why the engine takes no writes, though it answers; empty mostly. What was claimed stays claimed
   * and authority goes on, so all that needs no commit can be answered meanwhile.
   */
  default Optional<Failure> readOnly() {
    return Optional.empty();
  }

  /** Gives up every shard and closes the engine's client. */
  @Override
  void close();
}
