package dev.plinth.client.limit;

import dev.plinth.client.Line;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What the limiters of a client share.
 *
 * @param holder who they are for, to be read by people
 * @param patience for a call that waits for nothing but its answer, over all attempts
 * @param background where callers' own code runs
 * @param lending the purses that have something to give back
 */
record Wiring(
    Asks asks,
    Reach reach,
    LongSupplier nanos,
    LimitOptions options,
    LimitEvents events,
    String holder,
    Duration patience,
    Executor background,
    Set<Purse> lending) {
  static Wiring of(Line line, LimitOptions options, LimitEvents events) {
    return new Wiring(
        new Asks(line),
        new Reach(),
        line.nanos(),
        options,
        events,
        line.owner(),
        line.patience(),
        line.background(),
        ConcurrentHashMap.newKeySet());
  }

  /**
   * For callers: what they hang on it must not run on the client's own thread, where a call that
   * waits for another answer would wait for ever. Cancelling it cancels the original.
   */
  <T> CompletableFuture<T> handed(CompletableFuture<T> answer) {
    if (answer.isDone()) {
      return answer;
    }
    CompletableFuture<T> handed = new CompletableFuture<>();
    answer.whenCompleteAsync(
        (value, failure) -> {
          if (failure == null) {
            handed.complete(value);
          } else {
            handed.completeExceptionally(failure);
          }
        },
        background);
    handed.whenComplete(
        (value, failure) -> {
          if (handed.isCancelled()) {
            answer.cancel(false);
          }
        });
    return handed;
  }

  long now() {
    return nanos.getAsLong();
  }
}
