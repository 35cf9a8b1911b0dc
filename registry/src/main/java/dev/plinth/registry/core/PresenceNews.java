package dev.plinth.registry.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What a watcher of a room is told. */
public sealed interface PresenceNews {
  /**
   * Where a watcher is after some news.
   *
   * @param checksum of what it has then
   */
  record Position(long epoch, long revision, long checksum) {}

  /**
   * All that are there, in place of what was told before.
   *
   * @param bytes about what they weigh
   * @param incompleteFor for so long some may be missing; empty otherwise, here and below
   */
  record Snapshot(
      Position at, List<PresenceView> devices, long bytes, Optional<Duration> incompleteFor)
      implements PresenceNews {}

  /** What changed within one window, each list in the order of first changes. */
  record Diff(
      Position at,
      List<PresenceView> leaves,
      List<PresenceView> joins,
      List<PresenceView> changes,
      Optional<Duration> incompleteFor,
      Encoded encoded)
      implements PresenceNews {

    boolean isEmpty() {
      return size() == 0;
    }

    int size() {
      return leaves.size() + joins.size() + changes.size();
    }

    long bytes() {
      long bytes = 200;
      for (List<PresenceView> views : List.of(leaves, joins, changes)) {
        for (PresenceView view : views) {
          bytes += view.bytes();
        }
      }
      return bytes;
    }
  }

  /** How many are there. */
  record Count(int keys, int devices, Optional<Duration> incompleteFor) implements PresenceNews {}

  /** Nothing was missed. */
  record Progress(Optional<Position> at, Optional<Duration> incompleteFor)
      implements PresenceNews {}

  /** What follows the resumed position is not known; a snapshot follows. */
  record Gap() implements PresenceNews {}

  /** A diff as messages, which are made once for all its watchers. On the shard's loop alone. */
  final class Encoded {
    private final List<Object> messages = new ArrayList<>();

    @SuppressWarnings("unchecked") // all watchers of diffs encode them alike
    public <M> List<M> messages(Supplier<List<M>> encode) {
      if (messages.isEmpty()) {
        messages.addAll(encode.get());
      }
      return (List<M>) messages;
    }
  }
}
