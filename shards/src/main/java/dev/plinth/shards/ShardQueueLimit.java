package dev.plinth.shards;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts what waits at one shard, so that it can refuse more before it drowns. */
final class ShardQueueLimit {
  // Renewals have room when new work is refused, or overload would cost leases.
  static final int URGENT_ROOM = 4;

  private final AtomicInteger waiting = new AtomicInteger();
  private final int limit;

  ShardQueueLimit(int limit) {
    this.limit = limit;
  }

  boolean enter(CommandPriority commandPriority) {
    long room = commandPriority == CommandPriority.URGENT ? (long) limit * URGENT_ROOM : limit;
    if (waiting.incrementAndGet() > room) {
      waiting.decrementAndGet();
      return false;
    }
    return true;
  }

  /** For what must be done however much waits. */
  void enterAnyway() {
    waiting.incrementAndGet();
  }

  void leave() {
    waiting.decrementAndGet();
  }

  int waiting() {
    return waiting.get();
  }
}
