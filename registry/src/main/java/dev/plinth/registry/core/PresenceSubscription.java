package dev.plinth.registry.core;

import dev.plinth.shards.Tx;

/** A watcher in its room. */
public final class PresenceSubscription {
  final PresenceWatcher watcher;
  final boolean countOnly;
  private final PresenceRoom room;

  /** Its first news have left: those of later changes follow them. */
  boolean started;

  /** With count only, what it was told last. */
  PresenceNews.Count count;

  PresenceSubscription(PresenceRoom room, PresenceWatcher watcher, boolean countOnly) {
    this.room = room;
    this.watcher = watcher;
    this.countOnly = countOnly;
  }

  /** Nobody listens any more. */
  public void leave(Tx tx) {
    room.leave(this, tx.nanos());
  }
}
