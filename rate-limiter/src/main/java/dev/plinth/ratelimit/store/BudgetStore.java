package dev.plinth.ratelimit.store;

import dev.plinth.server.Engine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
  CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch);

  /**
   * Whether all nodes that open it have the same budgets. Where each has its own, one node must
   * decide for a domain.
   */
  default boolean isShared() {
    return true;
  }

  /**
   * What a crash of this process would forget, of a store that writes from time to time; empty of
   * one that does not, or of which it is not known here.
   */
  default Optional<Loss> loss() {
    return Optional.empty();
  }

  /**
   * @param now all that is older than this is on the disk
   * @param worst the most that {@code now} came to before a checkpoint was done, in the last one to
   *     two minutes
   */
  record Loss(Duration now, Duration worst) {}

  /** The memory of its rows, of a store that keeps them in this process. */
  default Optional<RowMemory> rows() {
    return Optional.empty();
  }

  /** Fail modes decide without it. */
  @Override
  default boolean isEssential() {
    return false;
  }

  @Override
  void close();
}
