package dev.plinth.ratelimit.core;

import java.util.concurrent.CompletableFuture;

/**
 * An answer that somebody waits for, up to a deadline. It is given once: by the store, or by {@link
 * #away} in its place; what comes after that is late.
 */
abstract class Waiting<R> extends CompletableFuture<R> {
  private final String domain;
  private final int place;
  private final long deadline;

  /**
   * @param place tells its lane: what is of the same budgets has the same
   * @param deadline on the monotonic clock
   */
  Waiting(String domain, int place, long deadline) {
    this.domain = domain;
    this.place = place;
    this.deadline = deadline;
  }

  final String domain() {
    return domain;
  }

  final int place() {
    return place;
  }

  final boolean isDue(long now) {
    return now - deadline >= 0;
  }

  /**
   * The store has not answered, or is not asked.
   *
   * @param sent whether it may have been charged
   */
  abstract void away(boolean sent);
}
