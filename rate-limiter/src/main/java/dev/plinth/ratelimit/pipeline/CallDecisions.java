package dev.plinth.ratelimit.pipeline;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What the checks of one call came to, by the object of each check. Where some met a budget of a
 * later policy, the call is decided once more with that one, and only those are checked again: the
 * others were charged.
 *
 * <p>Not for use by several threads at once: a call is decided again after all its checks have
 * their answers.
 */
public final class CallDecisions {
  private final Map<Check, CompletableFuture<Decision>> byCheck = new IdentityHashMap<>();

  CompletableFuture<Decision> of(Check check, Supplier<CompletionStage<Decision>> decision) {
    CompletableFuture<Decision> known = byCheck.get(check);
    if (known != null && !isStale(known)) {
      return known;
    }
    CompletableFuture<Decision> made = decision.get().toCompletableFuture();
    byCheck.put(check, made);
    return made;
  }

  private static boolean isStale(CompletableFuture<Decision> decided) {
    if (!decided.isCompletedExceptionally()) {
      return false;
    }
    try {
      decided.getNow(null);
      return false;
    } catch (CompletionException e) {
      return e.getCause() instanceof StalePolicyException;
    }
  }
}
