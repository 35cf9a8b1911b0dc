package dev.plinth.ratelimit.core;

import dev.plinth.server.Engine;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where budgets are kept. Every adapter passes BudgetStoreContract, and decides as the reference
 * model in the tests does.
 *
 * <p>Time is the store's own. It may be stepped: a budget notes when it was last written, and where
 * that lies in the future, its times are moved back with the clock; so a step back never denies for
 * longer than the budget itself would, and a step forward admits at most what the time that was
 * skipped would have.
 */
public interface BudgetStore extends Engine, AutoCloseable {
  /**
   * Applies requests to the budgets of one domain, one after the other, nothing in between; the
   * outcomes are in their order. Does not block. Fails with {@link
   * dev.plinth.server.failure.Failure.StoreUnavailable} if the store did not answer; what it may
   * have charged then stays charged, so that a lost answer only ever admits less. What is wrong
   * with one request alone is its outcome, {@link Outcome.Undecided}.
   */
  CompletionStage<List<Outcome>> apply(String domain, List<Request> batch);

  /**
   * Whether all nodes that open it have the same budgets. Where each has its own, one node must
   * decide for a domain.
   */
  default boolean isShared() {
    return true;
  }

  @Override
  void close();
}
