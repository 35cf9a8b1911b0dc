package dev.plinth.registry.core;

import dev.plinth.server.failure.Failure;

/**
 * One reader of what happens in a room. Called on the shard's loop, so it only queues; it says no
 * when its queue is full, and is then cut off with {@link #end}, never silently skipped.
 */
public interface PresenceWatcher {
  boolean tell(PresenceNews news);

  /** The last call. */
  void end(Failure why);
}
