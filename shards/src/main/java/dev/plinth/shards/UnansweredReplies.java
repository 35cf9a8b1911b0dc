package dev.plinth.shards;

import java.util.function.Consumer;

/**
 * The replies that a shard still owes, oldest first. They are linked with each other, so that each
 * comes and goes at a constant cost and without memory of its own. On the shard's loop alone.
 */
final class UnansweredReplies {
  private final PendingReply<Void> ends = new PendingReply<>();

  UnansweredReplies() {
    ends.before = ends;
    ends.after = ends;
  }

  void add(PendingReply<?> reply) {
    reply.before = ends.before;
    reply.after = ends;
    ends.before.after = reply;
    ends.before = reply;
  }

  /** Takes all of them out, the oldest first. */
  void removeEach(Consumer<PendingReply<?>> action) {
    while (ends.after != ends) {
      PendingReply<?> oldest = ends.after;
      oldest.unlink();
      action.accept(oldest);
    }
  }
}
