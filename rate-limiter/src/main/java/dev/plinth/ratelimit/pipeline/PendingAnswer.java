package dev.plinth.ratelimit.pipeline;

import java.util.concurrent.CompletableFuture;

/**
 * An answer that a caller waits for, up to a deadline. It is given once: by the store, or by {@link
 * #away} in its place; what comes after that is late.
 */
abstract class PendingAnswer<R> extends CompletableFuture<R> {
  private final String domain;
  private final int queueHash;
  private final long deadline;

  /**
   * @param queueHash selects the flush queue: requests of the same budgets have the same
   * @param deadline on the monotonic clock
   */
  PendingAnswer(String domain, int queueHash, long deadline) {
    this.domain = domain;
    this.queueHash = queueHash;
    this.deadline = deadline;
  }

  final String domain() {
    return domain;
  }

  final int queueHash() {
    return queueHash;
  }

  final boolean isDue(long now) {
    return now - deadline >= 0;
  }

  /**
   * The store has not answered, or no request was sent.
   *
   * @param maybeCharged whether it may have been charged
   */
  abstract void onStoreUnavailable(boolean maybeCharged);
}
