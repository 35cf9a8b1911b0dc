package dev.plinth.shards;

import dev.plinth.shards.store.Row;
import java.util.List;

/**
 * What a service keeps in every shard.
 *
 * @param <S> its state in one shard; touched by that shard's loop alone, so it needs no locks
 */
public interface ShardApp<S> {
  /** Begins the key of each of its rows and of no other app's, such as {@code lease/}. */
  String prefix();

  /**
   * Builds the state when a shard is taken over; of several shards at once, each on a thread of its
   * own. The rows are all that begin with the prefix. Deadlines restart here: what was to end by
   * time gets its full time again, since the last owner's renewals were not stored. The time of the
   * transaction stands still until the shard answers, so that loading takes nothing from it.
   */
  S open(List<Row> rows, Tx tx);

  /** Like the other, for an app that needs what others keep in the same shard. */
  default S open(List<Row> rows, Tx tx, OpenedApps others) {
    return open(rows, tx);
  }

  /**
   * Tells those who follow what only the state in memory has, and not the events of commits, that
   * they have missed nothing. Called at the cadence of all watches, while this node is sure to own
   * the shard.
   *
   * @param nanos the shard's monotonic time
   */
  default void progress(S state, long nanos) {}

  /**
   * The shard is given up and its state with it; what was counted of it elsewhere is taken back.
   */
  default void close(S state) {}
}
