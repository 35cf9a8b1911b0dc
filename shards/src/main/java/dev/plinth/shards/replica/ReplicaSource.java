package dev.plinth.shards.replica;

import java.util.Optional;
import java.util.function.UnaryOperator;

/** Opens watches at the owners of keys. */
public interface ReplicaSource<V> {
  /**
   * Watches a key until the watch ends or is cancelled. The listener is called on the replica's
   * thread, never before this method has returned.
   *
   * @param resumeToken of the last message that was applied; empty to begin with a snapshot
   * @return cancels the watch
   */
  Runnable open(String key, String resumeToken, Listener<V> listener);

  /** What a watch says. */
  interface Listener<V> {
    /**
     * A part of a snapshot, or a change.
     *
     * @param change makes the next value of the one before it; of none for the first part of a
     *     snapshot
     * @param resumeToken empty if more parts of the same snapshot or commit follow
     */
    void onChange(UnaryOperator<Optional<V>> change, String resumeToken);

    /** Nothing was missed. */
    void onProgress(String resumeToken);

    /** Changes are lost; a snapshot follows. */
    void onGap();

    /** The watch has ended, not by its cancellation. */
    void onEnd(String reason);
  }
}
