package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientRuntime;
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
record LimiterContext(
    RateLimitCaller rateLimitCaller,
    ServiceCircuitBreaker serviceCircuitBreaker,
    LongSupplier nanos,
    LimitOptions options,
    ClientLimitEvents events,
    String holder,
    Duration timeout,
    Executor background,
    Set<LeasedBudget> lending) {
  static LimiterContext of(
      ClientRuntime clientRuntime, LimitOptions options, ClientLimitEvents events) {
    return new LimiterContext(
        new RateLimitCaller(clientRuntime),
        new ServiceCircuitBreaker(),
        clientRuntime.nanos(),
        options,
        events,
        clientRuntime.owner(),
        clientRuntime.operationTimeout(),
        clientRuntime.background(),
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
