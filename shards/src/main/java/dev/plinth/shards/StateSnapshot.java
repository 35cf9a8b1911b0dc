package dev.plinth.shards;

/**
 * Shows an app's state to a watcher. It runs on the shard's loop.
 *
 * @param <S> the app's state
 */
@FunctionalInterface
public interface StateSnapshot<S> {
  /**
   * @param nanos the time of the shard, as its transactions have it
   */
  Object take(S state, long nanos);
}
