package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OrderedSet;
import dev.plinth.machine.Machine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * What the limiters of a client share.
 *
 * @param lending the budgets that have something to give back
 */
record LimiterContext(
    ClientRuntime runtime,
    RateLimitCaller caller,
    ServiceCircuitBreaker breaker,
    LimitOptions options,
    ClientLimitEvents events,
    ThrottledLogger warnings,
    OrderedSet<LeasedBudget> lending) {
  static LimiterContext of(ClientRuntime runtime, LimitOptions options, ClientLimitEvents events) {
    return new LimiterContext(
        runtime,
        new RateLimitCaller(runtime, options.deadline()),
        new ServiceCircuitBreaker(),
        options,
        events,
        new ThrottledLogger(runtime.nanos()),
        new OrderedSet<>());
  }

  /**
   * For callers: their callbacks must not run on the event loop, where a call that waits for
   * another answer would wait for ever. Cancelling it cancels the original.
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
            handed.completeExceptionally(
                failure instanceof CompletionException ? failure.getCause() : failure);
          }
        },
        runtime.background());
    handed.whenComplete(
        (value, failure) -> {
          if (handed.isCancelled()) {
            answer.cancel(false);
          }
        });
    return handed;
  }

  Machine machine() {
    return runtime.machine();
  }

  long now() {
    return runtime.nanos().getAsLong();
  }
}
