package dev.plinth.shards;

import dev.plinth.server.failure.Failure;
import java.util.List;

/**
 * One reader of a shard's events. Called on the shard's loop, so it only queues; it says no when
 * its queue is full, and is then cut off with {@link #end}, never silently skipped.
 */
public interface Watcher {
  /** Everything up to the revision, in place of whatever came before. */
  boolean snapshot(long revision, Object content);

  /** What one commit changed. Revisions rise; those without events are left out. */
  boolean events(long revision, List<Event> events);

  /** All up to the revision has been told, even if nothing happened. */
  boolean progress(long revision);

  /** Events from the asked revision on are no longer there; a snapshot follows. */
  boolean gap(long oldestRevision);

  /** Nobody listens any more. */
  default boolean isGone() {
    return false;
  }

  /** The last call. */
  void end(Failure why);
}
