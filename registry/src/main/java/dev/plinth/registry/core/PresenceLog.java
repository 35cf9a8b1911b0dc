package dev.plinth.registry.core;

import java.util.ArrayDeque;

/**
 * The diffs of all rooms of a shard that are kept for watchers who resume, oldest first, in so many
 * bytes. A room keeps its own ones, too; the oldest of all is the oldest of its room.
 */
final class PresenceLog {
  private record Entry(PresenceRoom room, PresenceNews.Diff diff, long bytes) {}

  private final long maxBytes;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long bytes;

  PresenceLog(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void add(PresenceRoom room, PresenceNews.Diff diff) {
    Entry added = new Entry(room, diff, diff.bytes());
    entries.add(added);
    room.kept.add(diff);
    bytes += added.bytes();
    while (bytes > maxBytes) {
      Entry oldest = entries.remove();
      bytes -= oldest.bytes();
      oldest.room().forgetOldest();
    }
  }
}
