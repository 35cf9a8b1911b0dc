package dev.plinth.shards.grpc;

import com.google.protobuf.Message;
import dev.plinth.shards.Event;
import java.util.Iterator;
import java.util.List;

/**
 * What one watch call sees of a shard, in the service's own messages. One instance serves one call,
 * and may remember what it has sent.
 *
 * @param <S> the state that the service keeps in a shard
 * @param <V> the snapshot as the core gives it
 * @param <R> the response: with {@code progress}, {@code gap} and {@code resume_token}
 */
public interface WatchedEvents<S, V, R extends Message> {
  /**
   * The state as of now, on the shard's loop.
   *
   * @param nanos the shard's monotonic time
   */
  V snapshot(S state, long nanos);

  /** What a snapshot keeps in memory until its reader has taken it, by estimate. */
  default long bytes(V snapshot) {
    return 0;
  }

  /** The messages of a snapshot, at least one; each is made when the reader takes it. */
  Iterator<? extends Message.Builder> snapshot(V snapshot);

  /** The messages of one commit; none if nothing in it is watched. */
  List<? extends Message.Builder> events(List<Event> events);
}
